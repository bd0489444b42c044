/** What a command line says; `wrong` with a message for whoever wrote it. */
export type OptionsRead<Options> =
  | { readonly kind: "read"; readonly options: Options }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly message: string };
