import "uplot/dist/uPlot.min.css";
import "./style.css";
import { embed, panels } from "./embed.js";
import { Film } from "./data.js";
import { live } from "./live/page.js";
import { Player } from "./player.js";
import { studio } from "./studio.js";

globalThis.dalembert ??= { embed, panels, studio, live, Film, Player };
