// The filters of a list are in the address, so that a link or the back button shows the same list.

/** The filters of these names. A filter that the address does not have is empty. */
export function filtersInAddress<Name extends string>(...names: readonly Name[]): Record<Name, string>;
export function filtersInAddress(...names: readonly string[]): Record<string, string> {
  const query = new URLSearchParams(location.search);
  return Object.fromEntries(names.map((name) => [name, query.get(name) ?? ""]));
}

/** Replaces the filters in the address, without empty ones. */
export function writeFiltersToAddress(filters: Readonly<Record<string, string>>): void {
  const given = Object.entries(filters).filter(([, value]) => value !== "");
  const query = given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
  if (query !== location.search) history.replaceState(history.state, "", location.pathname + query);
}
