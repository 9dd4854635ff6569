// Flame graphs of two arms: a function is as wide as its cost, its colour shows the difference.
"use strict";
(() => {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
  const points = (value) => value.toFixed(2).replace("-", "−");
  for (const place of document.querySelectorAll(".flame")) {
    const tree = JSON.parse(place.querySelector("script").textContent);
    const most = Math.max(...tree.own.map(Math.abs), 0.001);
    const nodes = tree.names.map((name, at) => ({
      name,
      value: tree.points[at],
      apart: tree.points[at] - tree.baseline[at],
      own: tree.own[at],
      children: [],
    }));
    const root = { name: "all", value: 0, apart: 0, own: 0, children: [] };
    tree.parents.forEach((parent, at) => (nodes[parent] || root).children.push(nodes[at]));
    root.children.forEach((node) => { root.value += node.value; root.apart += node.apart; });
    const says = ({ data }) =>
      `${data.name}: ${points(data.value)} points in ${tree.arm}, ` +
      `${data.apart >= 0 ? "+" : ""}${points(data.apart)} against ${tree.against}`;
    const said = place.querySelector("p");
    const drawn = place.querySelector("div");
    let width = 0;
    const draw = () => {
      width = drawn.clientWidth;
      drawn.replaceChildren();
      const graph = flames.flamegraph()
        .width(width)
        .cellHeight(20)
        .minFrameSize(2)
        .transitionDuration(0)
        .inverted(true)
        .sort(false)
        .title("")
        .setLabelHandler(says)
        .onHover((node) => { said.textContent = says(node); })
        .setColorMapper(({ data }) => {
          const share = Math.min(1, Math.abs(data.own) / most);
          const side = data.own > 0 ? "--more" : "--less";
          const mixed = `${colour(side)} ${Math.round(85 * share)}%, ${colour("--even")}`;
          return `color-mix(in srgb, ${mixed})`;
        });
      flames.select(drawn).datum(root).call(graph);
      place.querySelector("button").onclick = () => graph.resetZoom();
    };
    // Before it is drawn: what is hidden has no width.
    place.hidden = false;
    draw();
    addEventListener("resize", () => { if (drawn.clientWidth !== width) draw(); });
    document.getElementById("theme").addEventListener("click", draw);
  }
})();
