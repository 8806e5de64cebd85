() => {
  const moved = scrollY !== 0;
  scrollTo({ top: 0, behavior: "instant" });
  return moved;
}
