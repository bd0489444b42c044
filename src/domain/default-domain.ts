import type { ProjectId } from "#contract/ids.ts";

/** Source: RFC 1035 section 2.3.4. */
const MAX_LABEL = 63;
const SUFFIX_LENGTH = 6;

/** The domain of a project without its own: the project's name, as a subdomain of the installation's base domain. */
export function defaultDomain(name: string, baseDomain: string): string {
  return `${hostLabel(name, MAX_LABEL)}.${baseDomain}`;
}

/** The default domain with a suffix, for when the plain one is taken. The suffix is the end of the id, which is random. */
export function defaultDomainWithSuffix(name: string, id: ProjectId, baseDomain: string): string {
  return `${hostLabel(name, MAX_LABEL - SUFFIX_LENGTH - 1)}-${id.slice(-SUFFIX_LENGTH)}.${baseDomain}`;
}

/** Turns a name into a label of a host name: `Café à Go!` becomes `cafe-a-go`. `site` if no character is usable. */
function hostLabel(name: string, maxLength: number): string {
  const label = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, maxLength)
    .replace(/^-+|-+$/g, "");
  return label === "" ? "site" : label;
}
