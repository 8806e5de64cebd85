({ maxCharacters, maxLinks }) => {
  // Visible text, links and storage. Shadow roots and same-origin frames count as part of the page.
  const texts = [];
  const links = new Set();

  const follow = (href, base) => {
    try {
      const url = new URL(href, base);
      if ((url.protocol === "http:" || url.protocol === "https:") && links.size < maxLinks) links.add(url.href);
    } catch {
      // An address that does not parse leads nowhere.
    }
  };
  const visible = (element) => element.getClientRects().length > 0;
  const frameDocument = (element) => {
    try {
      return element.contentDocument?.documentElement ? element.contentDocument : null;
    } catch {
      return null;
    }
  };

  const readRoot = (root, base) => {
    for (const element of root.querySelectorAll("*")) {
      const tag = element.localName;
      if (tag === "a" || tag === "area") {
        const href = element.getAttribute("href") ?? element.getAttribute("xlink:href");
        if (href !== null) follow(href.trim(), base);
      } else if (tag === "link" && element.href) {
        const relations = element.rel.toLowerCase().split(/\s+/);
        const isFeed = relations.includes("alternate") && /rss|atom|feed/i.test(element.type);
        if (isFeed || relations.includes("next") || relations.includes("prev")) follow(element.getAttribute("href").trim(), base);
      } else if (tag === "iframe" || tag === "frame") {
        const inner = frameDocument(element);
        if (inner && (tag === "frame" || visible(element))) readDocument(inner);
        if (tag === "frame" && element.getAttribute("src")) follow(element.getAttribute("src"), base);
      }
      if (element.shadowRoot) {
        for (const child of element.shadowRoot.children) {
          if (visible(child) || getComputedStyle(child).display === "contents") texts.push(child.innerText ?? "");
        }
        readRoot(element.shadowRoot, base);
      }
    }
  };
  const readDocument = (page) => {
    texts.push(page.body?.innerText ?? page.documentElement?.textContent ?? "");
    readRoot(page, page.baseURI);
  };
  const entries = (area) => {
    try {
      const store = window[area];
      return Object.fromEntries(Array.from({ length: store.length }, (_, at) => [store.key(at), store.getItem(store.key(at))]));
    } catch {
      return {};
    }
  };

  readDocument(document);
  const text = texts.filter((part) => part.trim()).join("\n");
  return {
    url: location.href,
    title: document.title,
    text: text.slice(0, maxCharacters),
    links: [...links],
    cut: text.length > maxCharacters || links.size >= maxLinks,
    storage: { local: entries("localStorage"), session: entries("sessionStorage") },
  };
}
