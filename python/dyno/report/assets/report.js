// Comforts only: without this script the report says all the same. Nothing is loaded or stored.
"use strict";
(() => {
  const root = document.documentElement;
  const theme = document.getElementById("theme");
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    root.dataset.theme = (root.dataset.theme || system) === "dark" ? "light" : "dark";
  });

  const tip = document.getElementById("tip");
  document.addEventListener("pointermove", (event) => {
    const mark = event.target.closest?.(".drawn path[aria-label]");
    tip.hidden = !mark;
    if (tip.hidden) return;
    tip.textContent = mark.getAttribute("aria-label");
    const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${Math.max(8, event.clientY - tip.offsetHeight - 12)}px`;
  });

  const copy = document.getElementById("copy");
  if (navigator.clipboard) {
    copy.hidden = false;
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById("command").textContent);
      copy.textContent = "Copied";
    });
  }

  // PNGs are painted where somebody asks for them: they would be a quarter of the page.
  document.querySelectorAll("a.paint").forEach((link) => {
    link.hidden = false;
    link.href = "#";
    let painted = false;
    link.addEventListener("click", async (event) => {
      if (painted) return;
      event.preventDefault();
      const drawn = new Image();
      drawn.src = link.previousElementSibling.href;
      await drawn.decode();
      const canvas = document.createElement("canvas");
      canvas.width = 2 * drawn.naturalWidth;
      canvas.height = 2 * drawn.naturalHeight;
      canvas.getContext("2d").drawImage(drawn, 0, 0, canvas.width, canvas.height);
      link.href = canvas.toDataURL("image/png");
      painted = true;
      link.click();
    });
  });

  const links = new Map(
    [...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]),
  );
  const seen = new Set();
  const watcher = new IntersectionObserver(
    (entries) => {
      entries.forEach(({ target, isIntersecting }) =>
        isIntersecting ? seen.add(target.id) : seen.delete(target.id));
      const first = [...links.keys()].find((id) => seen.has(id));
      if (!first) return;
      links.forEach((link) => link.removeAttribute("aria-current"));
      links.get(first).setAttribute("aria-current", "true");
    },
    { rootMargin: "-10% 0px -75% 0px" },
  );
  links.forEach((_, id) => watcher.observe(document.getElementById(id)));

  // On paper nothing can be opened: what a doubter needs opens before printing and closes again.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details[data-print]:not([open])")];
    opened.forEach((each) => { each.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach((each) => { each.open = false; }));
})();
