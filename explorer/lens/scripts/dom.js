({ maxCharacters }) => {
  // The settled document as HTML: open shadow roots as declarative templates, same-origin frames as srcdoc, form fields
  // with what is in them now. The outline is its structure alone, one element a line.
  const VOID = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]);
  const RAW = new Set(["script", "style", "xmp", "iframe", "noembed", "noframes", "plaintext", "noscript"]);
  const HTML = "http://www.w3.org/1999/xhtml";
  const out = [];
  const outline = [];
  let characters = 0;
  let cut = false;

  const escapeText = (text) => text.replace(/[&<>\u00a0]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", "\u00a0": "&nbsp;" })[c]);
  const escapeValue = (text) => text.replace(/[&"\u00a0]/g, (c) => ({ "&": "&amp;", '"': "&quot;", "\u00a0": "&nbsp;" })[c]);
  const put = (text) => {
    characters += text.length;
    if (characters > maxCharacters) cut = true;
    else out.push(text);
  };

  const current = (element, tag) => {
    if (element.namespaceURI !== HTML) return {};
    if (tag === "input") {
      if (element.type === "checkbox" || element.type === "radio") return { checked: element.checked ? "" : null };
      if (element.type === "password" || element.type === "file") return {};
      return element.value !== element.defaultValue ? { value: element.value } : {};
    }
    if (tag === "option") {
      const options = [...(element.closest("select")?.options ?? [])];
      const isImplied = options[0] === element && !options.some((option) => option.defaultSelected);
      return element.selected === element.defaultSelected || isImplied ? {} : { selected: element.selected ? "" : null };
    }
    if (tag === "iframe" || tag === "frame") {
      const inner = frameDocument(element);
      return inner && tag === "iframe" ? { srcdoc: nested(inner) } : {};
    }
    return {};
  };

  const frameDocument = (element) => {
    try {
      return element.contentDocument?.documentElement ? element.contentDocument : null;
    } catch {
      return null;
    }
  };
  const nested = (inner) => {
    const start = out.length;
    write(inner, 0);
    return out.splice(start).join("");
  };

  const writeTag = (element, tag) => {
    const changed = current(element, tag);
    const attributes = [];
    for (const name of element.getAttributeNames()) {
      if (!(name in changed)) attributes.push(` ${name}="${escapeValue(element.getAttribute(name))}"`);
    }
    for (const [name, value] of Object.entries(changed)) {
      if (value !== null) attributes.push(` ${name}="${escapeValue(value)}"`);
    }
    put(`<${tag}${attributes.join("")}>`);
  };

  const writeElement = (element, depth) => {
    const tag = element.namespaceURI === HTML ? element.localName : element.tagName;
    outline.push(`${depth} ${tag} ${[...element.classList].sort().join(" ")}`);
    writeTag(element, tag);
    if (VOID.has(tag) && element.namespaceURI === HTML) return;
    if (element.shadowRoot) {
      put('<template shadowrootmode="open">');
      for (const child of element.shadowRoot.childNodes) write(child, depth + 1);
      put("</template>");
    }
    if (tag === "textarea" && element.namespaceURI === HTML) {
      put(escapeText(element.value));
    } else if (tag !== "iframe") {
      const content = tag === "template" && element.content ? element.content : element;
      for (const child of content.childNodes) write(child, depth + 1);
    }
    put(`</${tag}>`);
  };

  const write = (node, depth) => {
    if (cut) return;
    switch (node.nodeType) {
      case Node.DOCUMENT_NODE:
        for (const child of node.childNodes) write(child, depth);
        break;
      case Node.DOCUMENT_TYPE_NODE:
        put(new XMLSerializer().serializeToString(node));
        break;
      case Node.ELEMENT_NODE:
        if (depth < 2000) writeElement(node, depth);
        else cut = true;
        break;
      case Node.TEXT_NODE: {
        const parent = node.parentNode;
        const isRaw = parent?.namespaceURI === HTML && RAW.has(parent.localName);
        put(isRaw ? node.data : escapeText(node.data));
        break;
      }
      case Node.COMMENT_NODE:
        put(`<!--${node.data}-->`);
        break;
    }
  };

  write(document, 0);
  return { html: out.join(""), outline: outline.join("\n"), cut };
}
