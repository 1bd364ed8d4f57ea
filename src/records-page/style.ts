// The style of the page. It has no other file, so that one request has all of it.

/** Follows the color scheme of the system, and fits phones. */
export const style = `
:root { color-scheme: light dark; --text: #1d2329; --quiet: #667079; --back: #fff; --soft: #f5f6f8; --line: #e1e4e8; --accent: #0b62c4; --on: #fff; --danger: #b3261e; --warn: #fdf1f0; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e8ec; --quiet: #98a2ac; --back: #15191d; --soft: #1d2227; --line: #30373e; --accent: #74b1ff; --on: #0d1116; --danger: #ff8d85; --warn: #2c1b1b; }
}
* { box-sizing: border-box; }
body { background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; margin: 0; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { border-radius: 4px; outline: 2px solid var(--accent); outline-offset: 1px; }
h1 { font-size: 24px; line-height: 1.3; margin: 0 0 16px; outline: none; overflow-wrap: anywhere; }
h1 .count { margin-left: 4px; }
h2 { font-size: 17px; margin: 0 0 12px; }
.quiet, .count, .hint, .path { color: var(--quiet); }
.count { font-size: 14px; font-variant-numeric: tabular-nums; font-weight: 400; }
header { align-items: center; background: var(--back); border-bottom: 1px solid var(--line); display: flex; gap: 16px; height: 56px; padding: 0 24px; position: sticky; top: 0; z-index: 3; }
.title { color: inherit; flex: 1; font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.layout { display: grid; grid-template-columns: 240px minmax(0, 1fr); }
.layout > nav { border-right: 1px solid var(--line); height: calc(100vh - 56px); overflow: auto; padding: 16px 12px; position: sticky; top: 56px; }
main { min-width: 0; padding: 24px; }
.collections { list-style: none; margin: 0; padding: 0; }
.collections a { border-radius: 6px; color: inherit; display: flex; gap: 8px; justify-content: space-between; padding: 6px 12px; }
.collections a span:first-child { overflow: hidden; text-overflow: ellipsis; }
.collections a:hover, .collections [aria-current] { background: var(--soft); text-decoration: none; }
.collections [aria-current] { font-weight: 600; }
.collections .depth-1 { padding-left: 28px; }
.collections .depth-2 { padding-left: 44px; }
nav > input { margin-bottom: 8px; }
.home { display: none; }
button, .button, summary.button { background: var(--back); border: 1px solid var(--line); border-radius: 6px; color: var(--text); cursor: pointer; display: inline-block; font: inherit; line-height: 22px; padding: 5px 14px; white-space: nowrap; }
button:hover, .button:hover { background: var(--soft); text-decoration: none; }
.primary, .primary:hover { background: var(--accent); border-color: var(--accent); color: var(--on); }
button.danger, .button.danger { color: var(--danger); }
button:disabled, .button[aria-disabled] { cursor: default; opacity: 0.5; }
button.tool { background: none; border: 0; color: var(--accent); font-size: 13px; padding: 0 4px; }
button.empty { border-style: dashed; color: var(--quiet); }
.off { border-bottom: 1px dotted; color: var(--quiet); cursor: help; padding: 6px 2px; position: relative; }
.off:hover::after, .off:focus::after { background: var(--text); border-radius: 6px; color: var(--back); content: attr(data-why); font-size: 13px; left: 0; max-width: min(320px, 80vw); padding: 6px 10px; position: absolute; top: 100%; width: max-content; z-index: 4; }
.actions { align-items: center; display: flex; flex-wrap: wrap; gap: 8px; margin: 0 0 16px; }
.menu { position: relative; }
summary { cursor: pointer; }
summary.button { list-style: none; }
summary.button::-webkit-details-marker { display: none; }
.menu > div { background: var(--back); border: 1px solid var(--line); border-radius: 6px; box-shadow: 0 4px 16px #0003; display: grid; padding: 4px; position: absolute; top: 40px; z-index: 2; }
.menu button { border: 0; text-align: left; }
.filter { background: var(--soft); border-radius: 8px; margin-bottom: 16px; padding: 8px 14px; }
.filters { align-items: end; display: flex; flex-wrap: wrap; gap: 12px; padding: 8px 0; }
.filters p { margin: 0; width: 100%; }
.filters label { color: var(--quiet); font-size: 13px; width: 180px; }
input, select, textarea { background: var(--back); border: 1px solid var(--line); border-radius: 6px; color: var(--text); display: block; font: inherit; min-height: 34px; padding: 5px 10px; width: 100%; }
textarea { resize: vertical; }
input[type="file"] { margin-bottom: 16px; }
::placeholder { color: var(--quiet); opacity: 0.8; }
[aria-invalid] { border-color: var(--danger); }
.code, code { font-family: ui-monospace, monospace; font-size: 13px; }
.table { border: 1px solid var(--line); border-radius: 8px; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); max-width: 280px; overflow: hidden; padding: 9px 14px; text-align: left; text-overflow: ellipsis; white-space: nowrap; }
tbody tr:last-child td { border-bottom: 0; }
th { background: var(--soft); color: var(--quiet); font-size: 13px; font-weight: 500; }
th button { background: none; border: 0; color: inherit; padding: 0; }
th button:hover { background: none; color: var(--accent); }
th[aria-sort] button { color: var(--text); font-weight: 600; }
th[aria-sort] button::after { border: 4px solid transparent; content: ""; display: inline-block; margin-left: 6px; }
th[aria-sort="ascending"] button::after { border-bottom-color: currentColor; vertical-align: 3px; }
th[aria-sort="descending"] button::after { border-top-color: currentColor; vertical-align: -1px; }
tbody tr { position: relative; }
tbody tr:hover { background: var(--soft); }
.row::after { content: ""; inset: 0; position: absolute; }
td .inner { position: relative; z-index: 1; }
.pages { display: flex; gap: 8px; justify-content: end; margin-top: 16px; }
.path { margin: 0 0 4px; }
dl { display: grid; grid-template-columns: minmax(100px, 200px) minmax(0, 1fr); margin: 0; }
dt, dd { border-top: 1px solid var(--line); margin: 0; overflow-wrap: anywhere; padding: 9px 0; }
dt { color: var(--quiet); padding-right: 16px; }
dd dl, dd ol { border-left: 2px solid var(--line); padding-left: 14px; }
dd ol { list-style: none; margin: 0; }
dd dl > :nth-child(-n + 2) { border-top: 0; }
dd li + li { border-top: 1px solid var(--line); margin-top: 8px; padding-top: 8px; }
article > dl { border-bottom: 1px solid var(--line); }
section { margin-top: 32px; }
.related { display: flex; flex-wrap: wrap; gap: 8px 24px; list-style: none; margin: 0; padding: 0; }
main > form { max-width: 680px; }
.field { margin-bottom: 18px; min-width: 0; }
.object > .field, .array > .field, .choice > .field, .choice > textarea { border-left: 2px solid var(--line); margin: 0; padding: 4px 0 10px 14px; }
.item { align-items: center; display: grid; gap: 0 8px; grid-template-columns: 20px 1fr auto; }
.item > .label { display: contents; }
.item .tool { grid-row: 1; grid-column: 3; }
.item > .hint, .item > .error { grid-column: 2 / 4; }
.label { align-items: baseline; display: flex; gap: 6px; margin-bottom: 4px; }
.label > :first-child { flex: 1; font-weight: 500; padding: 0; }
.required { color: var(--danger); }
.hint, .error { font-size: 13px; margin: 4px 0 0; }
.errors { list-style: none; padding: 0; }
.errors li { margin-bottom: 6px; }
.error, .errors b { color: var(--danger); }
.choice > select { margin-bottom: 12px; }
.problem { background: var(--warn); border: 1px solid var(--danger); border-radius: 8px; margin: 0 0 16px; outline-offset: 2px; overflow-wrap: anywhere; padding: 10px 14px; }
.problem p, .problem ul { margin: 0 0 4px; }
dialog { background: var(--back); border: 1px solid var(--line); border-radius: 12px; color: inherit; max-width: calc(100vw - 32px); padding: 24px; width: 420px; }
dialog::backdrop { background: #0008; }
dialog label { display: block; margin-bottom: 14px; }
dialog p { margin: 0 0 16px; }
dialog .actions, main > form > .actions { margin: 20px 0 0; }
progress { accent-color: var(--accent); margin-top: 20px; width: 100%; }
.notice { background: var(--text); border-radius: 8px; bottom: 16px; color: var(--back); left: 50%; margin: 0; padding: 8px 16px; position: fixed; transform: translateX(-50%); z-index: 5; }
.notice:empty { display: none; }
@media (max-width: 720px) {
  header, main { padding: 0 16px; }
  main { padding: 16px; }
  .layout { display: block; }
  .layout > nav { display: none; }
  .home { display: block; margin: 0 -12px; }
  .collections a { padding-bottom: 10px; padding-top: 10px; }
  .filters label { flex: 1 1 140px; width: auto; }
  .table { border: 0; overflow: visible; }
  table, tbody, tr, td { display: block; }
  thead { display: none; }
  tbody tr { border: 1px solid var(--line); border-radius: 8px; margin-bottom: 8px; padding: 6px 0; }
  td { border: 0; display: flex; gap: 12px; max-width: none; padding: 3px 14px; }
  td::before { color: var(--quiet); content: attr(data-label); flex: 0 0 35%; overflow: hidden; text-overflow: ellipsis; }
  dl { grid-template-columns: minmax(80px, 35%) minmax(0, 1fr); }
}
`;
