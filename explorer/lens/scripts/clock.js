({ clock, seed }) => {
  // Runs before any script of the page, in every frame. What is replaced answers to toString, name and length as before.
  const natives = new WeakMap();
  const wrap = (native, traps) => {
    const proxy = new Proxy(native, traps);
    natives.set(proxy, native);
    return proxy;
  };
  const replace = (owner, key, value) =>
    Object.defineProperty(owner, key, { ...Object.getOwnPropertyDescriptor(owner, key), value });
  const replaceGetter = (owner, key, traps) => {
    const found = Object.getOwnPropertyDescriptor(owner, key);
    Object.defineProperty(owner, key, { ...found, get: wrap(found.get, traps) });
  };

  replace(Function.prototype, "toString", wrap(Function.prototype.toString, {
    apply: (native, self, args) => Reflect.apply(native, natives.get(self) ?? self, args),
  }));

  let state = seed >>> 0;
  const next32 = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  replace(Math, "random", wrap(Math.random, {
    apply: () => ((next32() >>> 5) * 67108864 + (next32() >>> 6)) / 9007199254740992,
  }));
  if (clock === null) return;

  const passed = performance.now.bind(performance);
  const now = () => Math.floor(clock + passed());
  const NativeDate = Date;
  const FakeDate = wrap(NativeDate, {
    construct: (native, args, target) => Reflect.construct(native, args.length ? args : [now()], target),
    apply: () => new NativeDate(now()).toString(),
  });
  replace(NativeDate, "now", wrap(NativeDate.now, { apply: now }));
  replace(NativeDate.prototype, "constructor", FakeDate);
  replace(globalThis, "Date", FakeDate);
  replaceGetter(Performance.prototype, "timeOrigin", {
    apply: (native, self, args) => (Reflect.apply(native, self, args), clock),
  });

  const orNow = (args) => (args.length && args[0] !== undefined ? args : [now()]);
  const formats = new WeakMap();
  const format = Intl.DateTimeFormat.prototype;
  replaceGetter(format, "format", {
    apply: (native, self, args) => {
      const bound = Reflect.apply(native, self, args);
      if (!formats.has(bound)) {
        formats.set(bound, wrap(bound, { apply: (native, self, args) => Reflect.apply(native, self, orNow(args)) }));
      }
      return formats.get(bound);
    },
  });
  replace(format, "formatToParts", wrap(format.formatToParts, {
    apply: (native, self, args) => Reflect.apply(native, self, orNow(args)),
  }));

  if (typeof Temporal === "undefined") return;
  const instant = () => Temporal.Instant.fromEpochMilliseconds(now());
  const zoned = (zone) => instant().toZonedDateTimeISO(zone ?? Temporal.Now.timeZoneId());
  const readings = {
    instant,
    zonedDateTimeISO: zoned,
    plainDateTimeISO: (zone) => zoned(zone).toPlainDateTime(),
    plainDateISO: (zone) => zoned(zone).toPlainDate(),
    plainTimeISO: (zone) => zoned(zone).toPlainTime(),
  };
  for (const [name, read] of Object.entries(readings)) {
    if (typeof Temporal.Now[name] !== "function") continue;
    replace(Temporal.Now, name, wrap(Temporal.Now[name], { apply: (native, self, args) => read(...args) }));
  }
}
