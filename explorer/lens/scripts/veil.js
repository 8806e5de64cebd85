() => {
  // Finds the texts that a page shows, or tells assistive software, and writes others in their place until `lift`. Shadow
  // roots and same-origin frames count as part of the page. Passwords are dots already.
  const SHORTEST = 6; // nothing shorter is a secret
  const SILENT = new Set(["script", "style", "noscript", "noframes", "iframe", "textarea"]);
  const INLINE = new Set(("a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr output q " +
    "ruby s samp script slot small span strike strong style sub sup template time tt tspan u var wbr").split(" "));
  const SPOKEN = ["title", "alt", "placeholder", "label", "summary", "aria-label", "aria-description", "aria-placeholder",
    "aria-roledescription", "aria-valuetext", "aria-braillelabel"];
  const WRITES = /^(mailto|tel|sms|callto):/i;
  const TOLD = [...SPOKEN.map((name) => `[${name}]`), ...["mailto", "tel", "sms", "callto"].map((kind) => `[href^="${kind}:" i]`),
    "input", "textarea", "iframe", "frame"].join(",");
  const SHOWS_NO_VALUE = new Set(["password", "hidden", "checkbox", "radio", "file", "image", "color", "range"]);
  const MAY_BE_SECRET = /^(?=.*[@\d]).{6,320}$/;
  const written = [];
  let runs = [];
  let fields = [];

  const frameDocument = (element) => {
    try {
      return element.contentDocument?.documentElement ? element.contentDocument : null;
    } catch {
      return null;
    }
  };
  const textPlace = (node) => ({
    read: () => node.data,
    write: (text) => {
      // Only what differs is replaced, so that selections and ranges elsewhere in the text stay where they are.
      const old = node.data;
      const most = Math.min(old.length, text.length);
      let start = 0;
      let end = 0;
      while (start < most && old[start] === text[start]) start += 1;
      while (end < most - start && old[old.length - 1 - end] === text[text.length - 1 - end]) end += 1;
      node.replaceData(start, old.length - end - start, text.slice(start, text.length - end));
    },
  });
  // A form answers to the names of its fields, "getAttribute" among them.
  const told = (element, name) => Element.prototype.getAttribute.call(element, name) ?? "";
  const attributePlace = (element, name) => ({
    read: () => told(element, name),
    write: (text) => Element.prototype.setAttribute.call(element, name, text),
  });
  const fieldPlace = (element) => ({
    read: () => element.value,
    write: (text) => {
      // A field nobody has touched shows its default, and has to go on doing so.
      const [start, end] = [element.selectionStart, element.selectionEnd];
      if (element.value === element.defaultValue) element.defaultValue = text;
      if (element.value !== text) element.value = text;
      if (start !== null && start !== undefined && element.selectionStart !== start) element.setSelectionRange(start, end);
    },
  });

  const blockOf = (node) => {
    let above = node.parentNode;
    while (above?.parentNode && INLINE.has(above.localName)) above = above.parentNode;
    return above;
  };
  const readTexts = (root) => {
    let run = [];
    let length = 0;
    let block = null;
    let parent = null;
    const close = () => {
      if (length >= SHORTEST) runs.push(run.map(textPlace));
      run = [];
      length = 0;
    };
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.nodeType === Node.ELEMENT_NODE) {
        if (!INLINE.has(node.localName)) close();
        continue;
      }
      if (node.parentNode !== parent) {
        parent = node.parentNode;
        const around = blockOf(node);
        if (around !== block) close();
        block = around;
      }
      if (SILENT.has(parent.localName)) continue;
      run.push(node);
      length += node.data.trim().length;
    }
    close();
  };
  const readElement = (element) => {
    for (const name of SPOKEN) {
      if (told(element, name).length >= SHORTEST) runs.push([attributePlace(element, name)]);
    }
    if (WRITES.test(told(element, "href"))) runs.push([attributePlace(element, "href")]);
    if (element.localName === "textarea" && element.value?.length >= SHORTEST) runs.push([fieldPlace(element)]);
    if (element.localName === "input" && !SHOWS_NO_VALUE.has(element.type) && element.value?.length >= SHORTEST) {
      fields.push({ ...fieldPlace(element), type: element.type, name: told(element, "name") });
    }
    const inner = /^i?frame$/.test(element.localName) ? frameDocument(element) : null;
    if (inner) readRoot(inner);
  };
  // Style sheets can show an attribute of any name before or after an element.
  const readShown = (element) => {
    const names = Element.prototype.getAttributeNames.call(element).filter((name) => name.startsWith("data-"));
    const longEnough = names.filter((name) => MAY_BE_SECRET.test(told(element, name)));
    if (!longEnough.length) return;
    const isShown = ["::before", "::after"].some((part) => !/^(none|normal|)$/.test(getComputedStyle(element, part).content));
    if (isShown) for (const name of longEnough) runs.push([attributePlace(element, name)]);
  };
  const readRoot = (root) => {
    readTexts(root);
    for (const element of root.querySelectorAll(TOLD)) readElement(element);
    for (const element of root.querySelectorAll("*")) {
      readShown(element);
      if (element.shadowRoot) readRoot(element.shadowRoot);
    }
  };
  const put = (place, text) => {
    const before = place.read();
    place.write(text);
    written.push({ place, before, after: place.read() });
  };

  return {
    // Texts that stand side by side are one run: what a person reads as one word may be split between them.
    texts: () => {
      runs = [];
      fields = [];
      readRoot(document);
      return {
        runs: runs.map((run) => run.map((place) => place.read())),
        fields: fields.map((field) => [field.type, field.name, field.read()]),
      };
    },
    // What stands in their place: pairs of a number in `texts` and the new text, or texts.
    write: (changes) => {
      for (const [at, texts] of changes.runs) {
        runs[at].forEach((place, part) => {
          if (place.read() !== texts[part]) put(place, texts[part]);
        });
      }
      for (const [at, text] of changes.fields) put(fields[at], text);
    },
    // The page's own observers have had their say, and fonts for letters that were not there before are loaded.
    rest: async () => {
      await Promise.race([
        new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
        new Promise((done) => setTimeout(done, 100)),
      ]);
      await Promise.race([document.fonts.ready, new Promise((done) => setTimeout(done, 1000))]);
    },
    // What the page has written meanwhile stays.
    lift: () => {
      for (const { place, before, after } of written.splice(0).reverse()) if (place.read() === after) place.write(before);
    },
  };
}
