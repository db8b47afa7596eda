/**
 * The styles of the player, as one text: it goes into the page, into a shadow root or into an exported file alike.
 * Panes have fixed tracks and scroll inside, so nothing moves while playing; narrow pages get narrower panes, then stacked ones.
 */

import { MONO, SANS, variables } from "./theme.js";

export const STYLES = `
.gradreel{${variables("light")};--mono:${MONO};--sans:${SANS};color-scheme:light;container:gradreel/inline-size;
  position:relative;height:100%;min-height:520px;color:var(--ink);font:14px/1.45 var(--sans);text-align:left}
@media(prefers-color-scheme:dark){.gradreel:not([data-theme=light]){${variables("dark")};color-scheme:dark}}
.gradreel[data-theme=dark]{${variables("dark")};color-scheme:dark}
.gradreel *,.gradreel *::before{box-sizing:border-box}
.gradreel [hidden]{display:none!important}
.gradreel .frame{display:grid;height:100%;grid-template:auto minmax(0,1fr) auto/360px minmax(0,1fr) 330px;gap:1px;background:var(--line)}
.gradreel .bar,.gradreel .pane,.gradreel .foot{background:var(--panel);min-width:0}
.gradreel .bar{grid-column:1/-1;grid-row:1;min-height:48px;display:flex;align-items:center;gap:12px;padding:0 18px}
.gradreel .bar:empty{display:none}
.gradreel .pane,.gradreel .graph{grid-row:2}.gradreel .foot{grid-row:3}
.gradreel .pane{overflow:auto;min-height:0;scrollbar-width:thin;padding-bottom:12px}
.gradreel button,.gradreel select{font:600 13px var(--sans);color:var(--ink);border:1px solid var(--line);background:var(--bg);border-radius:7px;padding:6px 12px;cursor:pointer}
.gradreel button:hover,.gradreel select:hover{border-color:var(--soft)}
.gradreel button.main{background:var(--ink);color:var(--panel);border-color:var(--ink)}
.gradreel :focus-visible{outline:2px solid var(--live);outline-offset:1px}
.gradreel h2{font:600 11px var(--sans);letter-spacing:.06em;text-transform:uppercase;color:var(--soft);margin:14px 16px 8px;padding:0;overflow-wrap:anywhere}
.gradreel code,.gradreel b{font-weight:600}.gradreel code{font:12px var(--mono);color:inherit;background:none;padding:0}
.gradreel .quiet{font:12.5px var(--mono);color:var(--soft);margin:0 16px 4px}
.gradreel .code{font:13px/1.75 var(--mono);overflow-x:auto}
.gradreel .code div{display:flex;white-space:pre;padding-right:16px;min-width:max-content}
.gradreel .code i{font-style:normal;color:var(--gone);width:40px;text-align:right;padding-right:12px;flex:none;user-select:none}
.gradreel .code em{font-style:normal;color:var(--soft);margin-left:14px;font-size:11.5px}
.gradreel .code .now{background:var(--run-bg);box-shadow:inset 3px 0 var(--run)}
.gradreel .code .born{background:var(--live-bg);box-shadow:inset 3px 0 var(--live)}
.gradreel .code .kill{background:var(--run-bg);box-shadow:inset 3px 0 var(--run)}
.gradreel .code .error{background:var(--bad-bg);box-shadow:inset 3px 0 var(--bad)}
.gradreel .names{display:flex;flex-wrap:wrap;gap:6px;padding:0 16px}.gradreel .names .quiet{margin:0}
.gradreel .pill{font:12px var(--mono);border:1px solid var(--line);border-radius:99px;padding:2px 9px;background:var(--bg);max-width:100%;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.gradreel .pill s{color:var(--soft);text-decoration:none}
.gradreel .pill[aria-pressed=true]{border-color:var(--ink)}
.gradreel .row{display:flex;justify-content:space-between;gap:12px;font:12.5px/1.9 var(--mono)}
.gradreel .row span:first-child{color:var(--soft);flex:none;max-width:50%;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.gradreel .row span:last-child{text-align:right;overflow-wrap:anywhere}
.gradreel .row[data-slot=stale] span:last-child{color:var(--bad)}
.gradreel button.row{width:100%;border:0;background:none;padding:0 16px;border-radius:0;font-weight:400;text-align:left}
.gradreel button.row:hover{background:var(--bg)}
.gradreel .printed{font:12.5px/1.5 var(--mono);margin:0;padding:0 16px;white-space:pre-wrap;overflow-wrap:anywhere;background:none;color:var(--ink)}
.gradreel .card{margin:0 16px 12px;border:1px solid var(--line);border-radius:10px;padding:12px}
.gradreel .card.err{border-color:var(--bad);background:var(--bad-bg)}.gradreel .card.warn{border-color:var(--run);background:var(--run-bg)}
.gradreel .card h3{margin:0 0 6px;padding:0;font:600 14px/1.4 var(--sans);color:var(--ink)}.gradreel .card p{margin:0 0 8px;font-size:14px;overflow-wrap:anywhere}.gradreel .card p:last-child{margin:0}
.gradreel .mends{display:flex;flex-wrap:wrap;gap:6px;margin-bottom:8px}
.gradreel .card details{font-size:12.5px;color:var(--soft)}.gradreel summary{cursor:pointer}.gradreel .card .said{font:12px/1.5 var(--mono);margin-top:6px;color:var(--ink)}
.gradreel .ahead{display:block;margin:0 16px 8px;width:calc(100% - 32px);text-align:left;font-weight:400}
.gradreel .jumps{display:flex;flex-wrap:wrap;gap:6px;margin-top:8px}.gradreel .jumps button{font:11.5px var(--mono);padding:2px 8px}
.gradreel .sum{font:13px/1.7 var(--mono)}.gradreel .sum div{display:grid;grid-template-columns:1.2em minmax(0,auto) 1fr;gap:0 8px}.gradreel .sum .total{border-top:1px solid var(--line);font-weight:600}
.gradreel .sum span{overflow-wrap:anywhere}.gradreel .sum span:last-child{color:var(--soft)}
.gradreel .graph{position:relative;overflow:hidden;padding:0;background:var(--panel);min-height:0}
.gradreel .graph .host,.gradreel .graph .overlay{position:absolute;inset:0;width:100%;height:100%}
.gradreel .graph .overlay{pointer-events:none}
.gradreel .graph .vis-network{width:100%;height:100%;position:relative;overflow:hidden;touch-action:none;outline:none}
.gradreel .graph canvas{outline:none}
.gradreel .caption{position:absolute;left:20px;top:12px;font:11px var(--mono);color:var(--soft);pointer-events:none;background:var(--panel);padding:2px 4px;margin:-2px -4px;border-radius:4px}
.gradreel .tools{position:absolute;right:12px;bottom:12px;display:flex;gap:6px;flex-wrap:wrap;justify-content:flex-end}
.gradreel .tools button{padding:3px 9px;min-width:30px;font-size:12px;background:var(--panel)}
.gradreel .tools button[aria-pressed=true]{border-color:var(--ink)}
.gradreel .table{position:absolute;inset:36px 0 0;overflow:auto;background:var(--panel);padding:0 16px 48px}
.gradreel table{border-collapse:collapse;width:100%;font:12px/1.7 var(--mono);color:var(--ink)}.gradreel caption{text-align:left;color:var(--soft);padding:4px 0}
.gradreel th,.gradreel td{text-align:left;border-bottom:1px solid var(--line);padding:2px 12px 2px 0;font-weight:400;vertical-align:top}.gradreel thead th{color:var(--soft)}
.gradreel td:last-child{overflow-wrap:anywhere}.gradreel th button{border:0;background:none;padding:0;font:12px var(--mono);text-align:left}.gradreel tr[aria-selected=true] th button{font-weight:700}
.gradreel .foot{grid-column:1/-1;padding:10px 18px 12px;display:grid;grid-template:auto auto/auto minmax(0,1fr) auto;gap:4px 18px;align-items:center}
.gradreel .say{grid-column:1/-1;margin:0;height:2.9em;overflow:auto;font-size:14px;scrollbar-width:thin}.gradreel .say .count{font-weight:600}.gradreel .say[data-tone=error] .count{color:var(--bad)}
.gradreel .controls{display:flex;gap:5px;align-items:center}.gradreel .controls button{min-width:34px;white-space:nowrap;padding:6px 10px}.gradreel .controls .main{min-width:88px}
.gradreel .controls select{border-color:transparent;background:none;color:var(--soft);font-weight:400;padding:6px 2px}
.gradreel .time{display:contents}.gradreel .strip{position:relative;height:54px;min-width:0}
.gradreel .strip svg{position:absolute;inset:0;width:100%;height:100%;overflow:visible}
.gradreel .strip input{position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0;cursor:pointer}.gradreel .strip:has(input:focus-visible){outline:2px solid var(--live);outline-offset:3px;border-radius:4px}
.gradreel .strip .cursor{stroke-width:2}.gradreel .strip .call{stroke-width:1;stroke-dasharray:2 3;opacity:.8}.gradreel .strip .tick{stroke:var(--soft);stroke-width:1}
.gradreel .tip{position:absolute;bottom:60px;max-width:420px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;pointer-events:none;font:11.5px var(--mono);background:var(--ink);color:var(--panel);border-radius:5px;padding:2px 8px;z-index:2}
.gradreel .memory{font:12.5px/1.3 var(--mono);color:var(--soft);text-align:right;white-space:pre;min-width:118px}
.gradreel .sheet{position:absolute;inset:0;margin:auto;width:min(420px,92%);height:max-content;background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:6px 8px 14px;box-shadow:0 8px 30px rgba(0,0,0,.25);z-index:5}
.gradreel .sheet .row{padding:0 16px}
@container gradreel (max-width:1240px){.gradreel .frame{grid-template-columns:290px minmax(0,1fr) 280px}}
@container gradreel (max-width:1020px){.gradreel .frame{grid-template-columns:250px minmax(0,1fr) 250px}.gradreel .card{margin:0 10px 10px;padding:10px}.gradreel .card p,.gradreel .say{font-size:13px}.gradreel .foot{column-gap:10px}}
@container gradreel (max-width:760px){.gradreel .frame{height:auto;grid-template:auto 460px auto auto auto/minmax(0,1fr)}.gradreel .foot{grid-row:3;grid-template:auto auto auto/minmax(0,1fr) auto}.gradreel .left{grid-row:4}.gradreel .right{grid-row:5}.gradreel .controls,.gradreel .say{grid-column:1/-1}}
@media(prefers-reduced-motion:reduce){.gradreel *{transition:none!important;scroll-behavior:auto!important}}
`;
