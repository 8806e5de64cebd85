() => Math.max(document.documentElement?.scrollHeight ?? 0, document.body?.scrollHeight ?? 0)
