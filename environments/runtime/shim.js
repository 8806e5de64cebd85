// Runs first in every page of local mode. Addresses that a page's own scripts build are turned into the sandbox's, where
// they are used: what is not captured is asked for below its host's folder, and nothing is asked for anywhere else.
((hosts, front) => {
  "use strict";
  const self = globalThis, page = self.document, Address = self.URL;
  if (page && page.currentScript) page.currentScript.remove();
  front ||= self.origin;
  const folder = /^\/~https?~[^/?#]*/, base = (folder.exec(self.location.pathname) || [""])[0];
  const here = new Address(front).host;
  const isPlain = text => /^\s*\/(?![/\\])/.test(text) && !folder.test(text.trim());

  const twin = url => (/s:$/.test(url.protocol) ? "http://" : "https://") + url.host;
  const named = url => (/s:$/.test(url.protocol) ? "https://" : "http://") + url.host;
  const isKnown = url => named(url) in hosts || twin(url) in hosts;
  const place = url => {
    const socket = url.protocol[0] === "w", secure = /s:$/.test(url.protocol);
    const other = "/~" + (secure ? "https~" : "http~") + url.hostname + (url.port ? "~" + url.port : "");
    const prefix = hosts[named(url)] ?? hosts[twin(url)] ?? other;
    return (socket ? "ws" : "http") + front.slice(4) + prefix + url.pathname + url.search + url.hash;
  };
  const PIECES = ["protocol", "host", "hostname", "port", "pathname", "search", "hash", "origin"];
  const pieces = PIECES.map(name => Object.getOwnPropertyDescriptor(Address.prototype, name).get);
  const parsed = text => {
    try {
      const url = new Address(text, page ? page.baseURI : self.location.href);
      return Object.fromEntries(PIECES.map((name, place) => [name, Reflect.apply(pieces[place], url, [])]));
    } catch { return null; }
  };
  const address = value => {
    if (typeof value !== "string" && !(value instanceof Address)) return value;
    const text = String(value), url = parsed(text);
    if (!url || !/^(https?|wss?):$/.test(url.protocol)) return value;
    if (url.host !== here) return place(url);
    if (/s:$/.test(url.protocol)) return text.replace(/^\s*(http|ws)s:/i, "$1:");
    if (!base || folder.test(url.pathname)) return value;
    if (isPlain(text)) return base + text.trim();
    return /^\s*\w+:\/\//.test(text) ? url.origin + base + url.pathname + url.search + url.hash : value;
  };
  // what is fetched from a host that nothing was captured of fails as it would without a network; the policy sees to it
  const reach = value => {
    const url = typeof value === "string" || value instanceof Address ? parsed(String(value)) : null;
    return url && url.host !== here && !isKnown(url) ? value : address(value);
  };
  const candidates = value => typeof value !== "string" ? value
    : value.replace(/([\s,]*)(\S*[^\s,])(\s[^,]*)?/g, (_, lead, url, rest) => lead + address(url) + (rest || ""));
  const style = value => typeof value !== "string" ? value
    : value.replace(/(url\(\s*["']?|@import\s*["'])([^"')\s]+)/gi, (_, lead, url) => lead + address(url));
  const attribute = (name, value) => /srcset$/.test(name) ? candidates(value) : name === "style" ? style(value) : address(value);
  const NAMES = /^(src|href|xlink:href|action|formaction|poster|data|background|srcset|imagesrcset|style|ping)$/i;
  const markup = value => typeof value !== "string" ? value : style(value).replace(
    /(\s(src|href|xlink:href|action|formaction|poster|background|srcset|imagesrcset)\s*=\s*)(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi,
    (all, lead, name, one, two, bare) => {
      const given = one ?? two ?? bare, quote = one !== undefined ? '"' : two !== undefined ? "'" : "";
      return /^\s*(#|$)/.test(given) ? all : lead + quote + attribute(name.toLowerCase(), given) + quote;
    });

  // a style that was handed out watched -> the browser's own, which its methods insist on
  const originals = new WeakMap();
  const setter = (owner, name, change) => {
    const own = owner && Object.getOwnPropertyDescriptor(owner, name);
    if (!own || !own.set || !own.configurable) return;
    const set = new Proxy(own.set, {
      apply: (set, me, given) => Reflect.apply(set, originals.get(me) || me, [change(given[0], me)]),
    });
    Object.defineProperty(owner, name, { ...own, set });
  };
  const call = (owner, name, change) => {
    if (!owner || typeof owner[name] !== "function") return;
    const own = Object.getOwnPropertyDescriptor(owner, name);
    const value = new Proxy(owner[name], {
      apply: (own, me, given) => Reflect.apply(own, originals.get(me) || me, change([...given], me)),
    });
    if (own ? own.configurable || own.writable : true) Object.defineProperty(owner, name, own ? { ...own, value } : { value, configurable: true, writable: true });
  };
  const reached = given => (given.length && (given[0] = reach(given[0])), given);

  // an address of a captured host keeps that host's name and path for whoever takes it apart
  const unfolded = /^\/~(https?)~([^/?#~]+)(?:~(\d+))?(?=[/?#]|$)/;
  const apart = owner => {
    if (!owner) return;
    const read = Object.getOwnPropertyDescriptor(owner, "pathname").get, at = Object.getOwnPropertyDescriptor(owner, "host").get;
    const PARTS = {
      host: found => found[2] + (found[3] ? ":" + found[3] : ""), hostname: found => found[2], port: found => found[3] || "",
      protocol: found => found[1] + ":", origin: found => found[1] + "://" + found[2] + (found[3] ? ":" + found[3] : ""),
      pathname: (found, path) => path.slice(found[0].length) || "/",
    };
    for (const [name, part] of Object.entries(PARTS)) {
      const own = Object.getOwnPropertyDescriptor(owner, name);
      const found = me => Reflect.apply(at, me, []) === here ? unfolded.exec(Reflect.apply(read, me, [])) : null;
      const get = new Proxy(own.get, { apply: (get, me, given) => {
        const folded = found(me);
        return folded ? part(folded, Reflect.apply(read, me, [])) : Reflect.apply(get, me, given);
      } });
      const set = own.set && name === "pathname" ? new Proxy(own.set, { apply: (set, me, [value]) => {
        const folded = found(me);
        return Reflect.apply(set, me, [folded ? folded[0] + (String(value)[0] === "/" ? "" : "/") + value : value]);
      } }) : own.set;
      Object.defineProperty(owner, name, { ...own, get, set });
    }
  };
  const first = given => (given.length && (given[0] = address(given[0])), given);
  const made = (name, change) => {
    const own = self[name];
    if (typeof own !== "function") return;
    const value = new Proxy(own, { construct: (own, given, target) => Reflect.construct(own, change([...given]), target) });
    Object.defineProperty(self, name, { value, configurable: true, writable: true, enumerable: false });
    if (own.prototype.constructor === own) own.prototype.constructor = value;
  };

  const Asked = self.Request;
  const requested = given => {
    if (Asked && given[0] instanceof Asked) {
      const moved = reach(given[0].url);
      if (moved !== given[0].url) try { given[0] = new Asked(moved, given[0]); } catch { /* it cannot be made anew */ }
      return given;
    }
    return reached(given);
  };
  made("URL", given => {
    const folded = given.length > 1 && isPlain(String(given[0])) ? unfolded.exec((parsed(String(given[1])) || { pathname: "" }).pathname) : null;
    if (folded && parsed(String(given[1])).host === here) given[0] = folded[0] + String(given[0]).trim();
    return given;
  });
  call(self, "fetch", requested);
  made("Request", requested);
  for (const name of ["WebSocket", "EventSource"]) made(name, reached);
  for (const name of ["Worker", "SharedWorker", "Audio"]) made(name, first);
  call(self.Worklet && Worklet.prototype, "addModule", first);
  made("FontFace", given => (given[1] = style(given[1]), given));
  call(self, "importScripts", given => given.map(address));
  call(self, "open", first);
  call(self.XMLHttpRequest && XMLHttpRequest.prototype, "open", given => (given[1] = reach(given[1]), given));
  call(self.Navigator && Navigator.prototype, "sendBeacon", reached);
  call(self.ServiceWorkerContainer && ServiceWorkerContainer.prototype, "register", given => {
    if (given[1] && given[1].scope) given[1] = { ...given[1], scope: address(given[1].scope) };
    return first(given);
  });
  for (const name of ["pushState", "replaceState"])
    call(self.History && History.prototype, name, given => (given.length > 2 && (given[2] = address(given[2])), given));
  apart(Address.prototype);
  if (!page) return;

  apart(self.HTMLAnchorElement && HTMLAnchorElement.prototype);
  apart(self.HTMLAreaElement && HTMLAreaElement.prototype);
  const LOADS = {
    src: ["Image", "Script", "IFrame", "Frame", "Embed", "Media", "Source", "Track", "Input"],
    href: ["Anchor", "Area", "Link"], action: ["Form"], formAction: ["Button", "Input"], data: ["Object"], poster: ["Video"],
  };
  for (const [name, owners] of Object.entries(LOADS))
    for (const owner of owners) setter((self["HTML" + owner + "Element"] || {}).prototype, name, address);
  for (const owner of ["Image", "Source"]) setter(self["HTML" + owner + "Element"].prototype, "srcset", candidates);
  setter(HTMLLinkElement.prototype, "imageSrcset", candidates);
  setter(HTMLIFrameElement.prototype, "srcdoc", markup);
  setter(self.SVGAnimatedString && SVGAnimatedString.prototype, "baseVal", value => typeof value === "string" && /^\w+:|^\/\//.test(value) ? address(value) : value);
  call(Element.prototype, "setAttribute", given => {
    const name = String(given[0]).toLowerCase();
    if (NAMES.test(name)) given[1] = attribute(name, given[1]);
    return given;
  });
  call(Element.prototype, "setAttributeNS", given => {
    if (NAMES.test(String(given[1]))) given[2] = attribute(String(given[1]).toLowerCase(), given[2]);
    return given;
  });
  for (const owner of [Element.prototype, self.ShadowRoot && ShadowRoot.prototype])
    for (const name of ["innerHTML", "outerHTML"]) setter(owner, name, (value, me) => me instanceof HTMLStyleElement ? style(value) : me instanceof HTMLScriptElement ? value : markup(value));
  call(Element.prototype, "insertAdjacentHTML", given => (given[1] = markup(given[1]), given));
  call(self.Range && Range.prototype, "createContextualFragment", given => [markup(given[0])]);
  for (const name of ["write", "writeln"]) call(Document.prototype, name, given => given.map(markup));
  setter(CSSStyleDeclaration.prototype, "cssText", style);
  call(CSSStyleDeclaration.prototype, "setProperty", given => (given[1] = style(given[1]), given));
  // the properties of a style have no setters of their own to get between
  const styles = new WeakMap(), bound = new WeakMap();
  const watched = own => {
    if (!styles.has(own)) styles.set(own, new Proxy(own, {
      get: (own, name) => {
        const value = Reflect.get(own, name, own);
        if (typeof value !== "function") return value;
        if (!bound.has(value)) bound.set(value, new Proxy(value, { apply: (f, me, given) => Reflect.apply(f, originals.get(me) || me, given) }));
        return bound.get(value);
      },
      set: (own, name, value) => Reflect.set(own, name, style(value), own),
    }));
    originals.set(styles.get(own), own);
    return styles.get(own);
  };
  for (const owner of [HTMLElement, SVGElement, self.MathMLElement, self.CSSStyleRule]) {
    const own = owner && Object.getOwnPropertyDescriptor(owner.prototype, "style");
    if (own && own.get) Object.defineProperty(owner.prototype, "style", { ...own, get: new Proxy(own.get, { apply: (get, me) => watched(Reflect.apply(get, me, [])) }) });
  }
  const isSheet = node => node instanceof HTMLStyleElement;
  for (const name of ["textContent", "nodeValue"]) setter(Node.prototype, name, (value, me) => isSheet(me) || isSheet(me.parentNode) ? style(value) : value);
  setter(CharacterData.prototype, "data", (value, me) => isSheet(me.parentNode) ? style(value) : value);
  for (const name of ["appendChild", "insertBefore", "replaceChild"]) call(Node.prototype, name, (given, me) => {
    if (isSheet(me) && given[0] instanceof Text) given[0].data = style(given[0].data);
    return given;
  });
  for (const name of ["append", "prepend", "replaceChildren"]) call(Element.prototype, name, (given, me) => {
    if (!isSheet(me)) return given;
    return given.map(node => node instanceof Text ? (node.data = style(node.data), node) : style(node));
  });
  for (const name of ["insertRule", "replace", "replaceSync"]) call(CSSStyleSheet.prototype, name, given => (given[0] = style(given[0]), given));

  setter(Document.prototype, "cookie", value => {
    if (typeof value !== "string") return value;
    const [pair, ...rest] = value.split(";");
    const kept = rest.filter(part => !/^\s*domain\s*=/i.test(part) && (!/^\s*secure\s*$/i.test(part) || /^\s*__/.test(pair)))
      .map(part => base && /^\s*path\s*=\s*\//i.test(part) && !/~https?~/.test(part) ? part.replace(/=\s*/, "=" + base) : part);
    return [pair, ...kept].join(";");
  });
  const from = self.MessageEvent && Object.getOwnPropertyDescriptor(MessageEvent.prototype, "origin");
  if (from) {
    const get = new Proxy(from.get, { apply: (get, me, given) => {
      const origin = Reflect.apply(get, me, given);
      if (origin !== front) return origin;
      try { return front + (folder.exec(me.source.location.pathname) || [""])[0]; } catch { return origin; }
    } });
    Object.defineProperty(MessageEvent.prototype, "origin", { ...from, get });
  }
  if (self.navigation) self.navigation.addEventListener("navigate", event => {
    const url = parsed(event.destination.url);
    if (!url || !/^https?:$/.test(url.protocol) || url.host === here || !event.cancelable || event.formData) return;
    event.preventDefault();
    const go = event.navigationType === "replace" ? "replace" : "assign";
    setTimeout(() => self.location[go](place(url)));
  });
})
