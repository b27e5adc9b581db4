/** The look of report.html: one column, system fonts, light and dark. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#fbfaf7;--card:#fff;--ink:#1d2129;--soft:#5c6470;--line:#e3e0d8;--accent:#2f5d50;--core:#e9f1ee;--domain:#fff7e8;--bad:#a03c2e;--good:#2f6d4f}
@media (prefers-color-scheme:dark){:root{--bg:#14171a;--card:#1c2024;--ink:#e8e6e1;--soft:#9aa3ad;--line:#30363c;--accent:#8fc7b3;--core:#1f2d29;--domain:#2d2719;--bad:#e58a7b;--good:#86cfa6}}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.55 system-ui,sans-serif;overflow-wrap:break-word}
main{max-width:980px;margin:0 auto;padding:40px 24px 80px}h1{font-size:28px;margin:0 0 4px}h2{font-size:21px;margin:44px 0 8px}h3{font-size:16px;margin:0 0 10px}h4{font-size:14px;margin:14px 0 4px;color:var(--soft)}*+h3{margin-top:22px}
p{margin:6px 0}.soft{color:var(--soft)}.brief{border-left:3px solid var(--accent);padding:4px 14px;margin:14px 0;white-space:pre-wrap}
.tiles{display:flex;gap:12px;flex-wrap:wrap;margin:20px 0}.tile{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:12px 18px;min-width:120px;flex:1;color:var(--soft);font-size:14px}.tile b{display:block;font-size:24px;color:var(--ink)}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:18px 20px;margin:14px 0}
.wide{overflow-x:auto}table{width:100%;border-collapse:collapse;font-size:14px}td,th{text-align:left;padding:6px 14px 6px 0;border-bottom:1px solid var(--line);vertical-align:top}tr:last-child td{border-bottom:0}th{color:var(--soft);font-weight:600}td:first-child{min-width:7em}
.ok{color:var(--good)}.bad{color:var(--bad)}code{font:13px/1.45 ui-monospace,monospace;background:var(--bg);padding:1px 5px;border-radius:4px;overflow-wrap:anywhere}
details{margin:8px 0}summary{cursor:pointer;color:var(--accent)}.request{color:var(--ink)}details[open]>summary{font-weight:600}details>:not(summary){margin-left:18px}ol,ul{padding-left:22px;margin:6px 0}li{margin:3px 0}
.graph{width:100%;height:auto;margin:0}.graph rect{stroke:var(--line);stroke-width:1.2}.graph .core{fill:var(--core)}.graph .domain{fill:var(--domain)}
.graph text{text-anchor:middle;fill:var(--ink);font:14px system-ui,sans-serif}.graph .name{font-weight:600}.graph .note{fill:var(--soft);font-size:12px}.graph .key{fill:var(--soft);font-size:11px;dominant-baseline:middle;paint-order:stroke;stroke:var(--card);stroke-width:5px;stroke-linejoin:round}
.graph .link{fill:none;stroke:var(--accent);stroke-width:1.4;opacity:.6}
.stages .step{font-size:12px}.stages .does{fill:var(--domain)}.stages .asks{fill:var(--core)}.stages .lane{stroke:var(--line);stroke-width:1}.stages .state,.stages .information{fill:none;stroke:var(--accent);stroke-width:1.5;opacity:.75}.stages .information{stroke-dasharray:4 3}
.plot{margin:18px 0}.plot figcaption{font-weight:600;margin-bottom:6px}.plot{overflow-x:auto}.plot svg{width:100%;min-width:640px;height:auto}.plot rect{fill:var(--accent)}.plot rect.faint{opacity:.35}.plot text{fill:var(--ink);font:13px system-ui,sans-serif}.plot .label{text-anchor:end}.plot .n{fill:var(--soft)}.plot .track{fill:var(--line);opacity:.6}.plot path{fill:none;stroke-width:1.6;stroke:var(--ink)}.plot path.halo{stroke:var(--card);stroke-width:3.6;stroke-linecap:square}.figure{white-space:nowrap}.failure{border-top:1px solid var(--line);padding-top:4px;margin-top:18px}.failure td:first-child{min-width:6em}.failure h4{color:var(--ink)}.plot .tick{text-anchor:middle;fill:var(--soft);font-size:12px}
`;
