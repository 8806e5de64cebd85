({ maxItems }) => {
  // What can be acted on, each with a selector that is the same from look to look: ids and names before positions.
  const WANTED = [
    "a[href]", "area[href]", "button", "input:not([type=hidden])", "select", "textarea", "summary",
    ...["button", "link", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "switch", "checkbox", "radio", "option",
      "combobox", "slider", "treeitem"].map((role) => `[role=${role}]`),
    "[onclick]", "[contenteditable='']", "[contenteditable=true]", "[data-toggle]", "[data-bs-toggle]", "[aria-expanded]",
    "[aria-haspopup]", "[aria-pressed]", "[draggable=true]", "th[aria-sort]", "[aria-keyshortcuts]", "[accesskey]", "kbd",
  ].join(",");
  const KEPT = /^(aria-.*|data-(bs-)?toggle|data-(bs-)?target|pattern|min|max|step|maxlength|minlength|placeholder|autocomplete|title|class|draggable|multiple|disabled|readonly|checked|accept|accesskey|contenteditable)$/;
  const MADE_UP = /\d{4,}|[0-9a-f]{8,}|^:r|^(ember|ext-gen|react-|radix-|mui-|headlessui-)/i;
  // What may be a secret is replaced before it is kept, and a selector that names it would find nothing any more.
  const MAY_BE_SECRET = /[?#;&][^=]*=[^&#]*[A-Za-z0-9]{16,}|\S(@|%40)[\w-]+\.\w/, IN_WORDS = /(?=[a-z]*[0-9])[0-9a-z]{16,}|\S@[\w-]+\.\w/i;
  const TEST_IDS = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa"];

  const roots = [document];
  for (let at = 0; at < roots.length; at += 1) {
    for (const element of roots[at].querySelectorAll("*")) if (element.shadowRoot) roots.push(element.shadowRoot);
  }
  const quote = (value) => `"${value.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\a ")}"`;
  // Elements that a selector matches all name it, so counting names once spares a search of the document for each.
  const named = new Map();
  const count = () => {
    for (const root of roots) for (const element of root.querySelectorAll("*")) {
      for (const own of ownNames(element)) named.set(own, (named.get(own) ?? 0) + 1);
    }
  };
  const ENDS_WITH = /^[\w-]+\[\w+\$=/;
  const matches = (selector) => {
    if (!ENDS_WITH.test(selector)) return named.get(selector);
    return roots.reduce((sum, root) => sum + root.querySelectorAll(selector).length, 0);
  };
  const isOnly = (selector, scope) => (scope ? scope.querySelectorAll(selector).length : matches(selector)) === 1;

  const address = (attribute, value) => {
    // A mirror may answer for an absolute address under another origin; its path stays.
    try {
      const url = /^(https?:)?\/\//i.test(value) ? new URL(value, document.baseURI) : null;
      if (url && url.pathname + url.search + url.hash === "/") return null;
      return url ? `[${attribute}$=${quote(value.slice(value.indexOf(url.host) + url.host.length))}]` : `[${attribute}=${quote(value)}]`;
    } catch {
      return null;
    }
  };
  const ownNames = function* (element) {
    const tag = CSS.escape(element.localName);
    const id = element.getAttribute("id"); // a form's .id may be its field of that name
    if (id && !MADE_UP.test(id)) yield `#${CSS.escape(id)}`;
    for (const key of TEST_IDS) if (element.hasAttribute(key)) yield `[${key}=${quote(element.getAttribute(key))}]`;
    const name = element.getAttribute("name");
    const value = element.getAttribute("value");
    if (name && !MADE_UP.test(name)) {
      yield `${tag}[name=${quote(name)}]`;
      if (value !== null && value.length < 60 && !MADE_UP.test(value) && !IN_WORDS.test(value)) yield `${tag}[name=${quote(name)}][value=${quote(value)}]`;
    }
    for (const key of ["aria-label", "for", "data-target", "data-bs-target", "aria-controls"]) {
      const own = element.getAttribute(key);
      if (own && own.length < 80 && !MADE_UP.test(own) && !IN_WORDS.test(own)) yield `${tag}[${key}=${quote(own)}]`;
    }
    const href = element.getAttribute("href");
    if (href && href !== "#" && href.length < 200 && !MAY_BE_SECRET.test(href) && !/^javascript:/i.test(href)) {
      const part = address("href", href);
      if (part) yield tag + part;
    }
    if (tag === "form" && element.getAttribute("action") && !MAY_BE_SECRET.test(element.getAttribute("action"))) {
      const part = address("action", element.getAttribute("action"));
      if (part) yield tag + part;
    }
    for (const key of ["placeholder", "title", "alt", "type", "role"]) {
      const own = key === "type" ? element.getAttribute(key)?.toLowerCase() : element.getAttribute(key);
      if (own && own.length < 80 && !IN_WORDS.test(own)) yield `${tag}[${key}=${quote(own)}]`;
    }
  };
  const parentOf = (element) => element.parentElement ?? (element.getRootNode() instanceof ShadowRoot ? element.getRootNode() : null);
  const position = (element) => {
    let at = 1;
    for (let other = element.previousElementSibling; other; other = other.previousElementSibling) {
      if (other.localName === element.localName) at += 1;
    }
    return `${CSS.escape(element.localName)}:nth-of-type(${at})`;
  };

  const chosen = new Map();
  const selectorOf = (element) => {
    if (chosen.has(element)) return chosen.get(element);
    chosen.set(element, work(element));
    return chosen.get(element);
  };
  const work = (element) => {
    if (element === document.body || element === document.documentElement) return element.localName;
    for (const own of ownNames(element)) if (isOnly(own)) return own;
    // The nearest thing around it that has a name of its own, then a name or a position below that.
    const path = [position(element)];
    for (let above = parentOf(element); above; above = parentOf(above)) {
      if (above instanceof ShadowRoot) return `${selectorOf(above.host)} ${path.join(" > ")}`;
      let anchor = above === document.body ? "body" : above === document.documentElement ? "html" : "";
      for (const own of anchor ? [] : ownNames(above)) if (isOnly(own)) { anchor = own; break; }
      if (anchor) {
        for (const own of above === document.body ? [] : ownNames(element)) if (isOnly(own, above)) return `${anchor} ${own}`;
        return `${anchor} > ${path.join(" > ")}`;
      }
      path.unshift(position(above));
    }
    return path.join(" > ");
  };

  const clean = (text) => (text ?? "").replace(/\s+/g, " ").trim().slice(0, 120);
  const byIds = (element, ids) => ids.split(/\s+/).map((id) => element.getRootNode().getElementById?.(id)?.textContent ?? "").join(" ");
  const nameOf = (element) => {
    const labelled = element.getAttribute("aria-labelledby");
    const own = (labelled && clean(byIds(element, labelled))) || clean(element.getAttribute("aria-label"));
    if (own) return own;
    if (element.labels?.length) {
      const label = clean([...element.labels].map((one) => one.innerText ?? one.textContent).join(" "));
      if (label) return label;
    }
    const isField = /^(input|select|textarea)$/.test(element.localName);
    if (element.localName === "input" && /^(submit|button|reset)$/.test(element.type)) return clean(element.value || element.type);
    const text = isField ? "" : clean(element.innerText ?? element.textContent);
    return text || clean(element.querySelector?.("img[alt]")?.alt) || clean(element.getAttribute("alt")) ||
      clean(element.getAttribute("title")) || clean(element.getAttribute("placeholder")) || clean(element.querySelector?.("title")?.textContent);
  };
  const ROLES = { a: "link", area: "link", button: "button", select: "combobox", textarea: "textbox", summary: "button", option: "option" };
  const INPUTS = { checkbox: "checkbox", radio: "radio", submit: "button", button: "button", reset: "button", image: "button", range: "slider", number: "spinbutton", search: "searchbox" };
  const roleOf = (element) => {
    const given = element.getAttribute("role")?.trim().split(/\s+/)[0];
    if (given) return given;
    if (element.localName === "input") return INPUTS[element.type] ?? "textbox";
    if (element.localName === "select" && (element.multiple || element.size > 1)) return "listbox";
    return ROLES[element.localName] ?? (element.isContentEditable ? "textbox" : "generic");
  };

  // A menu below an entry that shows when the pointer is there: style sheets open those, and no attribute tells.
  const hidesMenu = (element) => {
    const menu = element.closest("li")?.querySelector("ul, ol, [role=menu]");
    return Boolean(menu) && !menu.contains(element) && !menu.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  };

  // A link that nobody can see, nor reach by scrolling, and that is not part of a menu: whoever follows it is a machine.
  // A part of a picture has no box of its own: whoever sees the picture sees it.
  const pictureOf = (area) => {
    const name = area.closest("map")?.name;
    return [...area.getRootNode().querySelectorAll("img[usemap]")].find((image) => name && image.useMap === `#${name}`);
  };
  const isUnseen = (element) => {
    if (element.localName === "area" || element.localName === "map") {
      const picture = pictureOf(element);
      return !picture || isUnseen(picture);
    }
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return true;
    const box = element.getBoundingClientRect();
    return Math.min(box.width, box.height) <= 1 || box.right + scrollX <= 0 || box.bottom + scrollY <= 0;
  };
  const isTrap = (element) => {
    const href = element.getAttribute("href");
    if (!href || href.startsWith("#") || !isUnseen(element)) return false;
    if (/\bnofollow\b/i.test(element.getAttribute("rel") ?? "")) return true;
    let hidden = element;
    while (hidden.parentElement && hidden.parentElement !== document.body && isUnseen(hidden.parentElement)) hidden = hidden.parentElement;
    const isBare = clean(hidden.textContent) === clean(element.textContent) && hidden.querySelectorAll("*").length < 5;
    return isBare && !hidden.matches("ul, ol, li, nav, dialog, details *, [role=menu] *, nav *, [popover]");
  };

  count();
  const all = roots.flatMap((root) => [...root.querySelectorAll(WANTED)]);
  const items = all.slice(0, maxItems).map((element) => {
    const form = element.form ?? element.closest("form");
    const isPassword = element.type === "password";
    const kept = element.getAttributeNames().filter((key) => KEPT.test(key)).map((key) => [key, element.getAttribute(key).slice(0, 300)]);
    if (hidesMenu(element)) kept.push(["submenu", "hidden"]);
    if (/^(a|area)$/.test(element.localName) && isTrap(element)) kept.push(["trap", "unseen"]);
    return {
      selector: selectorOf(element),
      role: roleOf(element),
      name: nameOf(element),
      tag: element.localName,
      input_type: /^(input|button)$/.test(element.localName) ? element.type : "",
      href: element.getAttribute("href") ?? "",
      form: form ? selectorOf(form) : "",
      form_method: form ? (element.getAttribute("formmethod") ?? form.getAttribute("method") ?? "get").toLowerCase() : "",
      form_action: form ? (element.getAttribute("formaction") ?? form.getAttribute("action") ?? "") : "",
      field_name: element.getAttribute("name") ?? "",
      value: isPassword || typeof element.value !== "string" ? "" : element.value.slice(0, 2000),
      options: element.localName === "select" ? [...element.options].slice(0, 50).map((option) => option.value) : [],
      required: element.required === true || element.getAttribute("aria-required") === "true",
      visible: element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && element.getClientRects().length > 0,
      attributes: Object.fromEntries(kept),
    };
  });
  return { items, cut: all.length > maxItems };
}
