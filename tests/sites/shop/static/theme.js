// Runs before the page is painted, so that a dark page never flashes white.
(() => {
  const theme = localStorage.getItem("theme");
  if (theme) document.documentElement.dataset.theme = theme;
})();
