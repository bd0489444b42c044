import { GantryShare } from "../../support/shared-gantry.ts";
import { requestShare } from "../../support/shared-installations.ts";

/** The built Worker, which all test files share, with accounts that nobody else uses. */
export type Gantry = Omit<GantryShare, "signInCodes"> & {
  /** Takes the code of a sign-in link that nobody has had yet. */
  signInCode(): string;
};

export async function useGantry(): Promise<Gantry> {
  const { signInCodes, ...gantry } = GantryShare.parse(await requestShare("/gantry"));
  return {
    ...gantry,
    signInCode() {
      const code = signInCodes.pop();
      if (code === undefined) throw new Error("every sign-in code is spent");
      return code;
    },
  };
}
