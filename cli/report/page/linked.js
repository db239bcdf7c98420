// What belongs together is marked together, for the mouse and for the keyboard: a cell of a map, the rows of the medians and the
// sections of its link; a request, the same request in the other lanes' waterfalls,
// and the one that requested it.

const belonging = "svg.heat a[data-link], table.medians tbody tr[data-link], details.group";

const pageOf = (part) => part.closest("figure[data-page]")?.dataset.page ?? part.dataset.page;

let linkedTo = null;

/** Marks all that is of the part's link, and of its page where both are of one; null: nothing. */
function markBelonging(part) {
  if (part === linkedTo) return;
  linkedTo = part;
  for (const marked of all(".linked")) marked.classList.remove("linked");
  if (!part) return;
  const { link } = part.dataset;
  const page = pageOf(part);
  for (const other of all(belonging)) {
    const isOfPage = page === undefined || pageOf(other) === undefined || pageOf(other) === page;
    if (other !== part && isOfPage && other.dataset.link === link) other.classList.add("linked");
  }
}

/** Of a row of a waterfall: the same request in the figure's other waterfalls, and in its own the request that caused it. */
function markSameRequest(row) {
  for (const marked of all(".hit.same, .hit.initiator")) marked.classList.remove("same", "initiator");
  const figure = row?.closest("figure");
  if (!figure) return;
  for (const other of all(`.hit[data-request="${row.dataset.request}"]`, figure))
    if (other !== row) other.classList.add("same");
  if (row.dataset.by) all(".hit", row.parentElement)[Number(row.dataset.by)]?.classList.add("initiator");
}

function setUpLinked() {
  const mark = ({ target }) => {
    markBelonging(target.closest?.(belonging) ?? null);
    if (target.matches?.(".hit")) markSameRequest(target);
  };
  document.addEventListener("mouseover", mark);
  document.addEventListener("focusin", mark);
}

setUpLinked();
