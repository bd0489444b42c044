import * as schemas from "#contract/endpoints/domains/schemas.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { choice, nested, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

export const domainTexts = {
  checkDomains: {
    summary: "Check where the host names of a project lead",
    description: prose`
      Asks the project's server which addresses (A and AAAA) its name servers know for the domain and each alias, and
      returns the result within seconds. The control plane resolves no names. The addresses are compared with the server
      in the project's settings. If the project is on another server now, it moves there with its next deployment.

      With the entry \`each\`, a name may lead to all servers of the project. With \`balancer\` it should lead to the balancers, one
      of which is asked.

      A name before which a CDN or a proxy stands leads to the addresses of that, so its state is \`elsewhere\`. The check
      cannot know whether they pass the requests on. Names that exist only in private networks, such as
      \`shop.internal\`, are not asked for.`,
    answer: {
      server_ip: "192.0.2.10",
      server_ips: ["192.0.2.10"],
      domains: [
        {
          domain: "shop.example.com",
          state: "here",
          addresses: [{ address: "192.0.2.10", is_server: true }],
          certificate: "valid",
          message: "shop.example.com leads to the server.",
          record: null,
        },
        {
          domain: "www.shop.example.com",
          state: "no_address",
          addresses: [],
          certificate: "missing",
          message:
            "www.shop.example.com has no address. Create the DNS record www.shop.example.com. A 192.0.2.10",
          record: { name: "www.shop.example.com", type: "A", value: "192.0.2.10" },
        },
      ],
    },
  },
} as const satisfies Partial<OperationTexts>;

const addressFields = {
  address: "An IPv4 or IPv6 address.",
  is_server:
    "Whether it is the `ip` of a server that visitors should reach, or an address of a network interface of the server that was asked.",
};

export const domainSchemas = {
  DomainAddress: object(schemas.DomainAddress, "An address of a host name.", addressFields),
  CertificateState: choice(
    schemas.CertificateState,
    "Whether the server has a certificate for a host name.",
    {
      valid: "it has one",
      late: "its certificate expires soon, and could not be renewed",
      missing: "it has none",
      unknown: "the ingress did not answer",
    },
  ),
  DomainState: choice(schemas.DomainState, "Where a host name leads.", {
    here: "to the server, and nowhere else",
    partly: "to the server, and to other addresses too",
    elsewhere: "only to other addresses, such as a CDN's",
    no_address: "nowhere: the name does not exist, or has no address",
    private: "the name exists only in private networks: no public name server knows it",
    unknown: "the server's name servers did not answer in time, or answered with an error",
  }),
  DomainCheck: object(schemas.DomainCheck, "Where a host name leads, as the project's server sees it.", {
    domain: "The host name.",
    state: "Where it leads.",
    addresses: "Its addresses, at most 16.",
    ...nested("addresses", addressFields),
    certificate:
      "Whether the server has a certificate for it. `null` if the server has no Gantry ingress that terminates TLS.",
    message: "A sentence for a person: where the name leads, and what to do.",
    record: "The DNS record to create. `null` if there is none to create.",
    ...nested("record", {
      name: "The host name.",
      type: "The type of the record.",
      value: "The address of the server.",
    }),
  }),
  DomainChecks: object(schemas.DomainChecks, "Where the host names of a project lead.", {
    server_ip: "The IP address of the server, to which the host names should lead. Of several, the first.",
    server_ips:
      "The IP addresses of all servers to which the host names may lead: of the balancers, or else of the servers that serve the domain.",
    domains: "The domain, and the aliases in their order.",
  }),
} satisfies Record<string, SchemaText>;
