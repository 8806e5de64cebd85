const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

function themeSwitch() {
  const button = $(".theme-button");
  const show = () => button.setAttribute("aria-pressed", String(document.documentElement.dataset.theme === "dark"));
  button.addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    localStorage.setItem("theme", theme);
    show();
  });
  show();
}

function menus() {
  const button = $(".menu-button");
  button.addEventListener("click", () => {
    const open = $("#menu").classList.toggle("open");
    button.setAttribute("aria-expanded", String(open));
  });
  for (const opener of $$("[data-dropdown]")) {
    const panel = document.getElementById(opener.getAttribute("aria-controls"));
    const set = (open) => { panel.hidden = !open; opener.setAttribute("aria-expanded", String(open)); };
    opener.addEventListener("click", () => set(panel.hidden));
    document.addEventListener("click", (event) => { if (!opener.parentElement.contains(event.target)) set(false); });
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") set(false); });
  }
}

function suggestions() {
  const input = $("#q"), list = $("#suggestions");
  let timer = 0, asked = 0;
  const hide = () => { list.hidden = true; input.setAttribute("aria-expanded", "false"); };
  const fill = (found) => {
    list.replaceChildren(...found.map((item) => {
      const row = document.createElement("li"), link = document.createElement("a"), price = document.createElement("span");
      row.setAttribute("role", "option");
      link.href = item.url;
      link.textContent = item.title;
      price.textContent = `€${(item.price_cents / 100).toFixed(2)}`;
      link.append(price);
      row.append(link);
      return row;
    }));
    list.hidden = found.length === 0;
    input.setAttribute("aria-expanded", String(found.length > 0));
  };
  const ask = async (query) => {
    const number = ++asked;
    const answer = await fetch(`/api/suggest?q=${encodeURIComponent(query)}`, { headers: { Accept: "application/json" } });
    if (!answer.ok || number !== asked) return; // a later letter was typed meanwhile
    fill((await answer.json()).suggestions);
  };
  input.addEventListener("input", () => {
    clearTimeout(timer);
    const query = input.value.trim();
    if (query.length < 2) { asked++; hide(); return; }
    timer = setTimeout(() => ask(query), 180);
  });
  input.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  document.addEventListener("click", (event) => { if (!input.form.contains(event.target)) hide(); });
}

function sorting() {
  const select = $("#sort");
  if (!select) return;
  $("button", select.form).hidden = true;
  select.addEventListener("change", () => select.form.requestSubmit());
}

function tabs() {
  for (const list of $$('[role="tablist"]')) {
    const all = $$('[role="tab"]', list);
    const choose = (tab) => {
      for (const other of all) {
        const chosen = other === tab;
        other.setAttribute("aria-selected", String(chosen));
        other.tabIndex = chosen ? 0 : -1;
        document.getElementById(other.getAttribute("aria-controls")).hidden = !chosen;
      }
    };
    all.forEach((tab, place) => {
      tab.addEventListener("click", () => choose(tab));
      tab.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = all[(place + step + all.length) % all.length];
        choose(next);
        next.focus();
      });
    });
  }
}

function gallery() {
  const main = $("#gallery-main");
  for (const button of $$("[data-picture]")) {
    button.addEventListener("click", () => {
      main.src = button.dataset.picture;
      for (const other of $$("[data-picture]")) other.setAttribute("aria-pressed", String(other === button));
    });
  }
}

function latePictures() {
  const watcher = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      target.src = target.dataset.src;
      watcher.unobserve(target);
    }
  }, { rootMargin: "80px" });
  for (const picture of $$("img.late")) watcher.observe(picture);
}

themeSwitch();
menus();
suggestions();
sorting();
tabs();
gallery();
latePictures();
