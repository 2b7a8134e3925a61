// Ranks as people type them: "0-3, 17".

/** The lanes that the text names, in order; all of them for an empty text; null if it names none. */
export function lanesOf(text, ranks) {
  const wanted = text.split(/[\s,;]+/).filter(Boolean);
  if (!wanted.length) return ranks.map((_, lane) => lane);
  const meant = (rank) =>
    wanted.some((each) => {
      const [from, to] = /^\d+-\d+$/.test(each) ? each.split("-").map(Number) : [];
      return String(rank) === each || (from !== undefined && Number(rank) >= from && Number(rank) <= to);
    });
  const found = ranks.map((rank, lane) => (meant(rank) ? lane : -1)).filter((lane) => lane >= 0);
  return found.length ? found : null;
}
