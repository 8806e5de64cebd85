async ({ maxHeight, from }) => {
  // Steps down the page as tall as it is now, and through what scrolls inside it, so that what waits to be seen is loaded.
  const frame = () => new Promise((done) => {
    const late = setTimeout(done, 200);
    requestAnimationFrame(() => requestAnimationFrame(() => (clearTimeout(late), done())));
  });
  const height = Math.max(document.documentElement?.scrollHeight ?? 0, document.body?.scrollHeight ?? 0);
  const goal = Math.min(height, maxHeight);
  const step = Math.max(200, Math.floor(innerHeight * 0.8));

  let at = from;
  let moved = false;
  while (at + innerHeight < goal) {
    at += step;
    moved = true;
    scrollTo({ top: at, behavior: "instant" });
    await frame();
  }
  if (from === 0) {
    const inner = [...document.querySelectorAll("body *")].filter((element) =>
      element.clientHeight > innerHeight / 2 &&
      element.scrollHeight > element.clientHeight + 50 &&
      /auto|scroll/.test(getComputedStyle(element).overflowY));
    for (const element of inner.slice(0, 3)) {
      const started = element.scrollTop;
      for (let top = 0; top < Math.min(element.scrollHeight, maxHeight); top += step) {
        element.scrollTo({ top, behavior: "instant" });
        await frame();
      }
      element.scrollTo({ top: started, behavior: "instant" });
      moved = true;
    }
  }
  return { at, moved, goal };
}
