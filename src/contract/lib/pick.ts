/** The fields of an object with these names. Missing fields are left out. */
export function pick<Of extends object, Name extends keyof Of>(
  of: Of,
  names: readonly Name[],
): Pick<Of, Name>;
export function pick(of: object, names: readonly PropertyKey[]): object {
  const has = names.filter((name) => Object.hasOwn(of, name));
  return Object.fromEntries(has.map((name) => [name, Reflect.get(of, name)]));
}
