import { select } from "d3-selection";
import flamegraph from "d3-flame-graph";

globalThis.flames = { flamegraph, select };
