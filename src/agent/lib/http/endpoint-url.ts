/** The URL of an endpoint, below the control plane's own URL, which may have a path. */
export function endpointUrl(base: string, path: string, params: Readonly<Record<string, string>> = {}): URL {
  const filled = path.replace(/:(\w+)/g, (whole, name: string) => encodeURIComponent(params[name] ?? whole));
  return new URL(`${base.replace(/\/+$/, "")}${filled}`);
}
