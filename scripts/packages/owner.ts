type Owner = { readonly scope: string | null; readonly repository: string | null };

/**
 * Who publishes the packages. Set both before the first release (docs/release.md).
 * `scope`: of the packages in npm, such as `@acme`; null: none. `repository`: the public one, such as
 * `https://github.com/acme/gantry`, whose workflow publishes: npm refuses the provenance of a package that names another one.
 */
export const owner: Owner = { scope: null, repository: null };
