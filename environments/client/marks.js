(frame) => {
  // Numbers every element an agent could mean, once, and tells what can be seen of it. Runs in a world of its own.
  // frame: {prefix, left, top, right, bottom}; the visible part of this frame in the coordinates of the window.
  const memory = (globalThis.__marks ??= { next: 0, frames: 0, owner: new Map() });
  const SKIPPED = new Set(["HEAD", "SCRIPT", "STYLE", "META", "LINK", "TITLE", "BASE", "TEMPLATE", "NOSCRIPT", "BR"]);
  const INTERACTIVE = new Set(["A", "BUTTON", "INPUT", "SELECT", "TEXTAREA", "OPTION", "SUMMARY", "LABEL", "DETAILS"]);
  const ROLES = new Set(["button", "link", "checkbox", "radio", "tab", "menuitem", "menuitemcheckbox", "menuitemradio",
    "option", "switch", "combobox", "textbox", "searchbox", "slider", "spinbutton", "treeitem", "gridcell"]);

  const letters = (n) => {
    let text = String.fromCharCode(97 + (n % 26));
    for (n = Math.floor(n / 26); n > 0; n = Math.floor((n - 1) / 26)) {
      text += String.fromCharCode(65 + ((n - 1) % 26));
    }
    return text;
  };
  const fresh = (element) =>
    frame.prefix + (/^I?FRAME$/.test(element.tagName) ? letters(memory.frames++) : String(memory.next++));

  const found = {};
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (!(element instanceof HTMLElement || element instanceof SVGSVGElement) || SKIPPED.has(element.tagName)) continue;
      let bid = element.getAttribute("bid");
      if (!bid || memory.owner.get(bid) !== element) {
        // new, or a copy of an element that has a number already
        bid = fresh(element);
        memory.owner.set(bid, element);
        element.setAttribute("bid", bid);
      }
      found[bid] = describe(element);
      if (element.shadowRoot) walk(element.shadowRoot);
    }
  };
  const describe = (element) => {
    const box = element.getBoundingClientRect();
    const x = box.x + frame.left, y = box.y + frame.top;
    const width = Math.min(x + box.width, frame.right) - Math.max(x, frame.left);
    const height = Math.min(y + box.height, frame.bottom) - Math.max(y, frame.top);
    const shown = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const area = box.width * box.height;
    const ratio = shown && width > 0 && height > 0 && area > 0 ? Math.min(1, (width * height) / area) : 0;
    const interactive = INTERACTIVE.has(element.tagName) || ROLES.has(element.getAttribute("role")) ||
      element.hasAttribute("onclick") || element.isContentEditable || element.tabIndex >= 0;
    return [Math.round(ratio * 1000) / 1000, area > 0 ? [x, y, box.width, box.height] : null, ratio >= 0.5 && interactive];
  };

  walk(document);
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return { found, focused: focused && focused !== document.body ? focused.getAttribute("bid") ?? "" : "" };
}
