for (const slider of document.querySelectorAll(".slide input")) {
  const frame = document.getElementById(slider.dataset.frame);
  const move = () => frame.style.setProperty("--at", `${slider.value}%`);
  slider.addEventListener("input", move);
  frame.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse" && event.buttons !== 1) return;
    const box = frame.getBoundingClientRect();
    slider.value = Math.round(((event.clientX - box.left) / box.width) * 100);
    move();
  });
}
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details")) part.open = true;
});
