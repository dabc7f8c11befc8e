// What the page loads from its own server: its style, and a script without which everything is
// shown too.
#include "page/page.h"

namespace elbowroom::page {

std::string_view style_sheet() {
  return R"css(:root {
  color-scheme: light dark;
  --back: #ffffff; --card: #f6f8fa; --line: #d0d7de; --text: #1f2328; --dim: #59636e; --link: #0756b8;
  --pod: #3f76bf; --pod2: #6f9dd8; --rest: #a9bdd6; --leaving: #d9730d; --promised: #8250df; --free: #e3e8ee;
  --bad: #b3261e; --good: #1a7f37; --waits: #8a5200;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0f1318; --card: #171c23; --line: #343b45; --text: #e6edf3; --dim: #9aa5b1; --link: #7db7ff;
    --pod: #4f8ad6; --pod2: #3a68a5; --rest: #3b4a5e; --leaving: #f0883e; --promised: #b392f0; --free: #252c36;
    --bad: #ff8178; --good: #56d364; --waits: #e3b341;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 0 1rem 2rem; max-width: 90rem;
  background: var(--back); color: var(--text); font: 15px/1.45 system-ui, sans-serif;
}
header { border-bottom: 1px solid var(--line); padding: .6rem 0; }
h1 { font-size: 1.3rem; margin: .2rem 0; }
h1 a { color: inherit; text-decoration: none; }
h2 { font-size: 1.1rem; margin: 1.6rem 0 .5rem; }
h3 { font-size: .95rem; margin: 0 0 .35rem; }
p { margin: .2rem 0; }
a { color: var(--link); }
bdi, td, h3, p, pre { overflow-wrap: anywhere; }
pre { white-space: pre-wrap; font-size: .85rem; }
small, .time, .legend, .sum, .hour, .more, footer, th { color: var(--dim); }
.legend { display: flex; flex-wrap: wrap; gap: 0 .8rem; margin-bottom: .4rem; }
.time, .legend, footer, small { font-size: .85rem; }
.count { color: var(--dim); font-weight: normal; }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1rem; align-items: baseline; margin-top: .3rem; }
nav label { margin-right: 1rem; white-space: nowrap; }
#controls { display: flex; flex-wrap: wrap; gap: .3rem 0; }
nav input[type=search] { font: inherit; width: 12rem; max-width: 100%; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-size: .8rem; font-weight: 600; }
th, td { padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { min-width: 5rem; }
td:first-child { min-width: 7rem; }
td[data-label="Node"], td[data-label="Lacks"] { min-width: 8rem; }
td.wide { min-width: 20rem; }
tr:target { outline: 2px solid var(--link); }
time, .what, .sum { white-space: nowrap; }
.badge {
  display: inline-block; border: 1px solid currentColor; border-radius: .6rem; padding: 0 .45rem;
  font-size: .75rem; font-weight: 600; color: var(--dim); white-space: nowrap;
}
.badge.waits { color: var(--waits); }
.badge.bad { color: var(--bad); }
.badge.good { color: var(--good); }
.nodes { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(24rem, 100%), 1fr)); gap: .6rem; }
.node { background: var(--card); border: 1px solid var(--line); border-radius: .4rem; padding: .5rem .7rem; min-width: 0; }
.node.busy { border-color: var(--leaving); }
.bar, .lane { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr) 9.5rem; gap: .5rem; align-items: center; font-size: .8rem; }
.what { overflow: hidden; text-overflow: ellipsis; }
.sum { overflow: hidden; text-overflow: ellipsis; }
.alone .bar { grid-template-columns: 11rem minmax(0, 1fr) 14rem; margin: .25rem 0; }
.lane { grid-template-columns: 12rem minmax(0, 1fr) 3rem; margin: .1rem 0; }
.lanes { margin-bottom: .8rem; }
.hour { display: flex; justify-content: space-between; }
svg { display: block; width: 100%; height: 1rem; border-radius: 2px; }
.alone svg { height: 1.6rem; }
rect.free { fill: var(--free); }
rect.pod { fill: var(--pod); }
rect.other { fill: var(--pod2); }
rect.rest { fill: var(--rest); }
rect.leaving { fill: var(--leaving); }
rect.promised { fill: var(--promised); }
rect.end { fill: var(--text); }
rect.tick { fill: var(--pod); }
rect.warning { fill: var(--leaving); }
.key { display: inline-block; width: .8rem; height: .8rem; border-radius: 2px; vertical-align: -1px; margin-right: .3rem; }
.key.pod { background: var(--pod); }
.key.rest { background: var(--rest); }
.key.leaving { background: var(--leaving); }
.key.promised { background: var(--promised); }
.key.free { background: var(--free); border: 1px solid var(--line); }
.gone { display: none; }
details { margin: .4rem 0; }
summary { cursor: pointer; color: var(--link); }
footer { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: .5rem; }
@media (max-width: 45rem) {
  thead { display: none; }
  table, tbody, tr, td { display: block; width: 100%; }
  tr { border: 1px solid var(--line); border-radius: .4rem; background: var(--card); padding: .3rem .6rem; margin-bottom: .5rem; }
  td, td.wide, td:first-child, td[data-label] { border: 0; padding: .15rem 0 .15rem 7rem; min-width: 0; min-height: 1.6rem; position: relative; }
  td::before { content: attr(data-label); position: absolute; left: 0; width: 6.6rem; color: var(--dim); font-size: .8rem; }
  .bar, .lane, .alone .bar { grid-template-columns: minmax(0, 1fr) auto; }
  .bar svg, .lane svg, .lane .hour { grid-column: 1 / -1; grid-row: 2; }
  .what, .sum { white-space: normal; }
}
)css";
}

std::string_view script() {
  return R"js('use strict';
// Adds a filter by name, and loading again; the page shows everything without them.
(() => {
  const at = document.getElementById('controls');
  if (!at) return;
  const kept = new URLSearchParams(location.hash.startsWith('#?') ? location.hash.slice(2) : '');
  const labelled = (text, input) => {
    const label = document.createElement('label');
    label.append(text, ' ', input);
    at.append(label);
    return input;
  };
  const search = labelled('Filter', document.createElement('input'));
  search.type = 'search';
  search.value = kept.get('filter') || '';
  const again = labelled('Every 5 s', document.createElement('input'));
  again.type = 'checkbox';
  again.checked = kept.has('again');

  const filter = () => {
    const wanted = search.value.toLowerCase();
    for (const each of document.querySelectorAll('tbody tr, article.node')) {
      each.classList.toggle('gone', wanted !== '' && !each.textContent.toLowerCase().includes(wanted));
    }
  };
  let timer = 0;
  const keep = () => {
    const now = new URLSearchParams();
    if (search.value) now.set('filter', search.value);
    if (again.checked) now.set('again', '');
    const text = now.toString();
    history.replaceState(null, '', text ? '#?' + text : location.pathname + location.search);
    clearTimeout(timer);
    if (again.checked) timer = setTimeout(() => location.reload(), 5000);
  };
  search.addEventListener('input', () => { filter(); keep(); });
  again.addEventListener('change', keep);
  filter();
  if (again.checked) keep();
})();
)js";
}

}  // namespace elbowroom::page
