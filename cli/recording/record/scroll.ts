// Scrolls a page to its end, screen by screen, so that it asks for what it leaves until somebody looks. The page is asked
// from a world of its own (measure/page.ts); a page that grows for ever is left after `screens`.

const screens = 60;
const pause_ms = 150;

/** Settles when the end is reached or the page has been given enough; its value: how many screens were scrolled. */
export const scrollExpression = `(async () => {
  const pause = () => new Promise((resolve) => setTimeout(resolve, ${pause_ms}));
  const root = document.scrollingElement;
  if (!root) return 0;
  let scrolled = 0;
  for (let still = 0; scrolled < ${screens} && still < 3; ) {
    const before = root.scrollTop;
    root.scrollTo({ top: before + innerHeight * 0.9, behavior: "instant" });
    await pause();
    if (root.scrollTop > before) {
      scrolled++;
      still = 0;
    } else still++;
  }
  return scrolled;
})()`;
