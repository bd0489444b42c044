/** A page with another text between `<!-- name -->` and `<!-- /name -->`. @throws if the page has no such part */
export function withPart(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`The page lacks ${begin} or ${end}.`);
  return `${page.slice(0, from)}${begin}\n${text}${page.slice(to)}`;
}
