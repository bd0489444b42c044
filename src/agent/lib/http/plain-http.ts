/** Explains why the agent sends no secret to a plain HTTP address. */
export function plainHttp(url: string): string {
  return `${url} is plain HTTP: others on the network could read the credential and change orders. Use https://`;
}
