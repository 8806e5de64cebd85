() => {
  // Holds every animation where two looks agree on it: finite ones at their end, endless ones at their start. No element
  // is added and no attribute set, so neither the page's observers nor its styles notice. `resume` puts all back.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("*, *::before, *::after { caret-color: transparent !important; } :root { scroll-behavior: auto !important; }");
  document.adoptedStyleSheets.push(sheet);

  const held = [];
  for (const animation of document.getAnimations()) {
    if (animation.playState !== "running" || typeof animation.currentTime !== "number") continue;
    const end = animation.effect?.getComputedTiming().endTime;
    const at = animation.currentTime;
    animation.pause();
    animation.currentTime = Number.isFinite(end) ? end : 0;
    held.push(() => {
      animation.currentTime = at;
      animation.play();
    });
  }
  return {
    resume: () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
      for (const release of held) release();
    },
  };
}
