import type { ResultOf } from "#contract/lib/result.ts";
import { gitHubPerson, gitHubUrl } from "#worker/identity/providers/git-hub.ts";
import { openIdPerson, openIdUrl } from "#worker/identity/providers/open-id.ts";
import { OpenIdConfigurations } from "#worker/identity/providers/open-id-configurations.ts";
import type {
  Answered,
  Asked,
  NamedPerson,
  ProviderConnection,
  Reach,
} from "#worker/identity/providers/provider-exchange.ts";
import type { ProviderProblem } from "#worker/identity/providers/provider-errors.ts";

/** Of this isolate. */
export const openIdConfigurations = new OpenIdConfigurations();

/** Where a sign-in continues: an address of the provider. */
export async function providerUrl(
  connection: ProviderConnection,
  asked: Asked,
  reach: Reach,
): Promise<ResultOf<string, ProviderProblem>> {
  return connection.kind === "github"
    ? await gitHubUrl(connection, asked, reach)
    : await openIdUrl(openIdConfigurations, connection, asked, reach);
}

/** Whom a provider names in its answer, after it was verified. */
export async function personAt(
  connection: ProviderConnection,
  answered: Answered,
  reach: Reach,
): Promise<ResultOf<NamedPerson, ProviderProblem>> {
  return connection.kind === "github"
    ? await gitHubPerson(connection, answered, reach)
    : await openIdPerson(openIdConfigurations, connection, answered, reach);
}
