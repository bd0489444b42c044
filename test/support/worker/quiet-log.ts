const { log } = console;

/**
 * The Worker logs a line for each request, and tests send thousands. Each line that reaches vitest's own process costs
 * about as much as a query, so they are not printed.
 */
console.log = (...values: unknown[]) => {
  if (!values.every(isAboutRequest)) log(...values);
};

function isAboutRequest(value: unknown): boolean {
  return typeof value === "string" && value.startsWith('{"level":"info"');
}
