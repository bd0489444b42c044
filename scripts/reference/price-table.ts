/** What Cloudflare counts. The columns of the table of usage in docs/scaling.md, in this order. */
const meters = ["d1Rows", "objectRows", "objectCalls", "r2Writes"] as const;
type Meter = (typeof meters)[number];
type Usage = Readonly<Record<Meter, number>>;

/**
 * Prices of the paid plan in dollars per million, the plan's included use in a month, and the free plan's in a day.
 * Source: Cloudflare's documentation of the prices of D1, Durable Objects and R2, read in November 2026.
 */
const prices = {
  d1Rows: { name: "rows written in D1", perMillion: 1, included: 50e6, freePerDay: 100_000 },
  objectRows: { name: "rows written in objects", perMillion: 1, included: 50e6, freePerDay: 100_000 },
  objectCalls: { name: "calls of objects", perMillion: 0.15, included: 1e6, freePerDay: 100_000 },
  // R2 has the same free amount on both plans, a month.
  r2Writes: { name: "writes to R2", perMillion: 4.5, included: 1e6, freePerDay: 1e6 / 30 },
} as const satisfies Record<Meter, object>;

/** The use of one action, or of a month. */
const rows = [
  { name: "A deployment", days: null },
  { name: "A connected server, idle for a month", days: 30 },
] as const;

/** The table of what usage costs. @param page docs/scaling.md, with the table of usage @throws if a row is missing */
export function priceTable(page: string): string {
  const lines = rows.map(({ name, days }) => {
    const usage = usageOf(page, name);
    const dollars = meters.reduce((sum, meter) => sum + (usage[meter] * prices[meter].perMillion) / 1e6, 0);
    const paid = limitOf(usage, (meter) => prices[meter].included);
    const free = limitOf(usage, (meter) => prices[meter].freePerDay * (days ?? 1));
    const per = days === null ? " a day" : "";
    const month = days === null ? " a month" : "";
    return `| ${name} | $${dollars.toPrecision(2)} | ${paid.count}${month} (${paid.by}) | ${free.count}${per} (${free.by}) |\n`;
  });
  return `| | Costs at most | Included in the paid plan | The free plan has |\n|---|---|---|---|\n${lines.join("")}`;
}

/** How often an amount suffices for a usage, and what runs out first. */
function limitOf(usage: Usage, amountOf: (meter: Meter) => number): { count: string; by: string } {
  const [least] = meters
    .filter((meter) => usage[meter] > 0)
    .map((meter) => ({ count: Math.floor(amountOf(meter) / usage[meter]), by: prices[meter].name }))
    .toSorted((one, other) => one.count - other.count);
  if (least === undefined) throw new Error("A row of docs/scaling.md uses nothing.");
  return { count: least.count.toLocaleString("en-US"), by: least.by };
}

function usageOf(page: string, name: string): Usage {
  const cells = page
    .split("\n")
    .find((line) => line.startsWith(`| ${name} | `) && !line.includes("$"))
    ?.split("|")
    .map((cell) => Number(cell.replaceAll(",", "")));
  if (cells === undefined) throw new Error(`docs/scaling.md has no row for ${name}.`);
  const [, , d1Rows = 0, objectRows = 0, objectCalls = 0, r2Writes = 0] = cells;
  return { d1Rows, objectRows, objectCalls, r2Writes };
}
