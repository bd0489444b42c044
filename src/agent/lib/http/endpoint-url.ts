/** An endpoint's address below the control plane's own, which may have a path of its own. */
export function endpointUrl(base: string, path: string, params: Readonly<Record<string, string>> = {}): URL {
  const filled = path.replace(/:(\w+)/g, (whole, name: string) => encodeURIComponent(params[name] ?? whole));
  return new URL(`${base.replace(/\/+$/, "")}${filled}`);
}
