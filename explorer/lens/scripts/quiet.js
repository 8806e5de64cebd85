({ quietMs, atMostMs }) => {
  // Watches the document change. The result is held by the caller alone, so the page's own scripts cannot see it.
  const REPEATS = 6;
  const REPEATING_FOR_MS = 600;
  const FINITE_ANIMATION_MS = 3000;
  let changedAt = performance.now();
  const habits = new WeakMap();

  const onlyText = (record) =>
    record.type === "characterData" ||
    [...record.addedNodes, ...record.removedNodes].every((node) => node.nodeType === Node.TEXT_NODE);

  // A spinner's style or a ticking figure changes the same node over and over; after a while it holds nothing up.
  const isHabit = (record, at) => {
    if (record.type !== "attributes" && !onlyText(record)) return false;
    const node = record.type === "characterData" ? record.target.parentNode ?? record.target : record.target;
    const habit = habits.get(node) ?? { since: at, last: -1, times: 0 };
    if (habit.last !== at) habit.times += 1;
    habit.last = at;
    habits.set(node, habit);
    return habit.times >= REPEATS && at - habit.since >= REPEATING_FOR_MS;
  };

  const options = { subtree: true, childList: true, attributes: true, characterData: true };
  const observeShadows = (root) => {
    for (const element of root.querySelectorAll?.("*") ?? []) if (element.shadowRoot) observe(element.shadowRoot);
    if (root.shadowRoot) observe(root.shadowRoot);
  };
  const observe = (root) => {
    observer.observe(root, options);
    observeShadows(root);
  };
  const take = (records) => {
    const at = performance.now();
    for (const record of records) {
      for (const node of record.addedNodes) if (node.nodeType === Node.ELEMENT_NODE) observeShadows(node);
      if (!isHabit(record, at)) changedAt = at;
    }
  };
  const observer = new MutationObserver(take);
  observe(document);

  const isNear = (image) => {
    const box = image.getBoundingClientRect();
    return box.bottom > -innerHeight && box.top < 2 * innerHeight && box.right > 0 && box.left < innerWidth;
  };
  const pictureIsDue = (image) => !image.complete && (image.loading !== "lazy" || isNear(image));
  const endsSoon = (animation) => {
    const left = (animation.effect?.getComputedTiming().endTime ?? Infinity) - (animation.currentTime ?? 0);
    return animation.playState === "running" && left < FINITE_ANIMATION_MS;
  };

  const isQuiet = () => {
    take(observer.takeRecords());
    return (
      performance.now() - changedAt >= quietMs &&
      document.readyState === "complete" &&
      document.fonts.status === "loaded" &&
      ![...document.images].some(pictureIsDue) &&
      !document.getAnimations().some(endsSoon)
    );
  };
  return {
    // True as soon as the page is quiet, false when it still is not after a while.
    wait: async () => {
      const until = performance.now() + atMostMs;
      while (!isQuiet()) {
        if (performance.now() >= until) return false;
        await new Promise((done) => setTimeout(done, Math.max(10, quietMs - (performance.now() - changedAt))));
      }
      return true;
    },
    stop: () => observer.disconnect(),
  };
}
