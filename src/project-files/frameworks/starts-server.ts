/** Whether the text of a program says that it answers requests on a server. */
export function startsServer(text: string): boolean {
  return /(?:\brequire\(|\bfrom\s|\bimport\s)\s*["'](?:node:)?(?:https?|http2|net|express|fastify|koa|ws|socket\.io)["']/.test(
    text,
  );
}
