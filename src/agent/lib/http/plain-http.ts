/** Explains why the agent sends no secret to a plain HTTP address. */
export function plainHttp(url: string): string {
  return `${url} is plain HTTP, where others on the way can read this server's credential and change its orders: use https://`;
}
