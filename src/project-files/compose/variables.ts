import { VariableName } from "#contract/endpoints/variables/schemas.ts";
import { looksSecret } from "#contract/looks-secret.ts";
import { noEffectOf } from "#contract/set-by-gantry.ts";
import type { Service } from "#project-files/compose/read-service.ts";

/** `isSecret`: the value looks like a secret, such as an address with a password. */
export type ServiceAddress = { readonly name: string; readonly service: string; readonly isSecret: boolean };

/** The variables of services. A project has one set of variables for all processes and builds. */
export type ComposeVariables = {
  readonly plain: readonly { readonly name: string; readonly value: string }[];
  /** Variables that look like secrets. Their values are not part of it. */
  readonly secrets: readonly string[];
  /** Variables whose value is not in the file. */
  readonly unknown: readonly string[];
  /** Variables whose value names a service that does not run in the project. Their values are not part of it. */
  readonly addresses: readonly ServiceAddress[];
  /** Variables with different values in the services. The first one counts. */
  readonly different: readonly string[];
  readonly files: readonly string[];
};

/**
 * Collects the variables of services.
 * @param elsewhere the names of services that do not run in the project, such as databases
 */
export function variablesOf(services: readonly Service[], elsewhere: readonly string[]): ComposeVariables {
  const values = new Map<string, string | null>();
  const different = new Set<string>();
  for (const { environment, build } of services)
    for (const [name, value] of [...environment, ...(build?.args ?? [])]) {
      if (!VariableName.safeParse(name).success || noEffectOf(name) !== null) continue;
      const before = values.get(name) ?? null;
      if (before !== null && value !== null && value !== before) different.add(name);
      values.set(name, before ?? value);
    }
  const plain: { name: string; value: string }[] = [];
  const secrets: string[] = [];
  const unknown: string[] = [];
  const addresses: ServiceAddress[] = [];
  const partial = new Map(services.flatMap((one) => [...one.partial]));
  for (const [name, value] of values) {
    const written = value ?? partial.get(name) ?? "";
    const service = serviceIn(name, written, elsewhere);
    if (service !== null) addresses.push({ name, service, isSecret: looksSecret(name, written) });
    else if (value === null) unknown.push(name);
    else if (looksSecret(name, value)) secrets.push(name);
    else plain.push({ name, value });
  }
  const files = [...new Set(services.flatMap(({ envFiles }) => envFiles))];
  return { plain, secrets, unknown, addresses, different: [...different], files };
}

/** The service that a value leads to, as in `postgres://db:5432/shop` or `DB_HOST=db`; null if it names none. */
function serviceIn(name: string, value: string, services: readonly string[]): string | null {
  const [, ofUrl] = /:\/\/(?:[^/@]*@)?([^/?#]+)/.exec(value) ?? [];
  const isHost = /HOST|ADDR|SERVER|BROKER|ENDPOINT|URL|URI/i.test(name);
  const hosts = (ofUrl ?? (isHost ? value : "")).split(",").map((host) => host.replace(/:\d*$/, "").trim());
  return services.find((service) => hosts.includes(service)) ?? null;
}
