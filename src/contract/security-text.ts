/** The path of the contact for vulnerability reports. Source: RFC 9116. */
export const SECURITY_TEXT_PATH = "/.well-known/security.txt";

/** A contact in the form of RFC 9116: the URI of a mail address, a page or a telephone number. */
export const SECURITY_CONTACT = /^(?:mailto:[!-~]+@[!-~]+|https:\/\/[!-~]+|tel:\+?[0-9.()-]+)$/;
