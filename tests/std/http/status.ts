// The tables and guards from npm, which have no types, with the literal types of the real package.
import * as real from "npm:deno-std@1.4.0/http/status.js";

interface Codes {
  readonly Continue: 100;
  readonly SwitchingProtocols: 101;
  readonly Processing: 102;
  readonly EarlyHints: 103;
  readonly OK: 200;
  readonly Created: 201;
  readonly Accepted: 202;
  readonly NonAuthoritativeInfo: 203;
  readonly NoContent: 204;
  readonly ResetContent: 205;
  readonly PartialContent: 206;
  readonly MultiStatus: 207;
  readonly AlreadyReported: 208;
  readonly IMUsed: 226;
  readonly MultipleChoices: 300;
  readonly MovedPermanently: 301;
  readonly Found: 302;
  readonly SeeOther: 303;
  readonly NotModified: 304;
  readonly UseProxy: 305;
  readonly TemporaryRedirect: 307;
  readonly PermanentRedirect: 308;
  readonly BadRequest: 400;
  readonly Unauthorized: 401;
  readonly PaymentRequired: 402;
  readonly Forbidden: 403;
  readonly NotFound: 404;
  readonly MethodNotAllowed: 405;
  readonly NotAcceptable: 406;
  readonly ProxyAuthRequired: 407;
  readonly RequestTimeout: 408;
  readonly Conflict: 409;
  readonly Gone: 410;
  readonly LengthRequired: 411;
  readonly PreconditionFailed: 412;
  readonly ContentTooLarge: 413;
  readonly URITooLong: 414;
  readonly UnsupportedMediaType: 415;
  readonly RangeNotSatisfiable: 416;
  readonly ExpectationFailed: 417;
  readonly Teapot: 418;
  readonly MisdirectedRequest: 421;
  readonly UnprocessableEntity: 422;
  readonly Locked: 423;
  readonly FailedDependency: 424;
  readonly TooEarly: 425;
  readonly UpgradeRequired: 426;
  readonly PreconditionRequired: 428;
  readonly TooManyRequests: 429;
  readonly RequestHeaderFieldsTooLarge: 431;
  readonly UnavailableForLegalReasons: 451;
  readonly InternalServerError: 500;
  readonly NotImplemented: 501;
  readonly BadGateway: 502;
  readonly ServiceUnavailable: 503;
  readonly GatewayTimeout: 504;
  readonly HTTPVersionNotSupported: 505;
  readonly VariantAlsoNegotiates: 506;
  readonly InsufficientStorage: 507;
  readonly LoopDetected: 508;
  readonly NotExtended: 510;
  readonly NetworkAuthenticationRequired: 511;
}

interface Texts {
  readonly 100: "Continue";
  readonly 101: "Switching Protocols";
  readonly 102: "Processing";
  readonly 103: "Early Hints";
  readonly 200: "OK";
  readonly 201: "Created";
  readonly 202: "Accepted";
  readonly 203: "Non Authoritative Info";
  readonly 204: "No Content";
  readonly 205: "Reset Content";
  readonly 206: "Partial Content";
  readonly 207: "Multi Status";
  readonly 208: "Already Reported";
  readonly 226: "IM Used";
  readonly 300: "Multiple Choices";
  readonly 301: "Moved Permanently";
  readonly 302: "Found";
  readonly 303: "See Other";
  readonly 304: "Not Modified";
  readonly 305: "Use Proxy";
  readonly 307: "Temporary Redirect";
  readonly 308: "Permanent Redirect";
  readonly 400: "Bad Request";
  readonly 401: "Unauthorized";
  readonly 402: "Payment Required";
  readonly 403: "Forbidden";
  readonly 404: "Not Found";
  readonly 405: "Method Not Allowed";
  readonly 406: "Not Acceptable";
  readonly 407: "Proxy Auth Required";
  readonly 408: "Request Timeout";
  readonly 409: "Conflict";
  readonly 410: "Gone";
  readonly 411: "Length Required";
  readonly 412: "Precondition Failed";
  readonly 413: "Content Too Large";
  readonly 414: "URI Too Long";
  readonly 415: "Unsupported Media Type";
  readonly 416: "Range Not Satisfiable";
  readonly 417: "Expectation Failed";
  readonly 418: "I'm a teapot";
  readonly 421: "Misdirected Request";
  readonly 422: "Unprocessable Entity";
  readonly 423: "Locked";
  readonly 424: "Failed Dependency";
  readonly 425: "Too Early";
  readonly 426: "Upgrade Required";
  readonly 428: "Precondition Required";
  readonly 429: "Too Many Requests";
  readonly 431: "Request Header Fields Too Large";
  readonly 451: "Unavailable For Legal Reasons";
  readonly 500: "Internal Server Error";
  readonly 501: "Not Implemented";
  readonly 502: "Bad Gateway";
  readonly 503: "Service Unavailable";
  readonly 504: "Gateway Timeout";
  readonly 505: "HTTP Version Not Supported";
  readonly 506: "Variant Also Negotiates";
  readonly 507: "Insufficient Storage";
  readonly 508: "Loop Detected";
  readonly 510: "Not Extended";
  readonly 511: "Network Authentication Required";
}

export const STATUS_CODE: Codes = real.STATUS_CODE;
export const STATUS_TEXT: Texts = real.STATUS_TEXT;

/** An HTTP status code. */
export type StatusCode = Codes[keyof Codes];
/** An HTTP status text. */
export type StatusText = Texts[keyof Texts];
type Hundred<Digit extends number> = `${StatusCode}` extends infer Text
  ? Text extends `${Digit}${string}` ? Text extends `${infer Code extends number}` ? Code : never : never
  : never;
/** A status from 100 to 199. */
export type InformationalStatus = Hundred<1>;
/** A status from 200 to 299. */
export type SuccessfulStatus = Hundred<2>;
/** A status from 300 to 399, except 304, which is not a redirect. */
export type RedirectStatus = Exclude<Hundred<3>, 304>;
/** A status from 400 to 499, except 425, which the real package does not include. */
export type ClientErrorStatus = Exclude<Hundred<4>, 425>;
/** A status from 500 to 599. */
export type ServerErrorStatus = Hundred<5>;
/** A status of 400 or more. */
export type ErrorStatus = ClientErrorStatus | ServerErrorStatus;

export const isStatus: (status: number) => status is StatusCode = real.isStatus;
export const isInformationalStatus: (status: number) => status is InformationalStatus = real.isInformationalStatus;
export const isSuccessfulStatus: (status: number) => status is SuccessfulStatus = real.isSuccessfulStatus;
export const isRedirectStatus: (status: number) => status is RedirectStatus = real.isRedirectStatus;
export const isClientErrorStatus: (status: number) => status is ClientErrorStatus = real.isClientErrorStatus;
export const isServerErrorStatus: (status: number) => status is ServerErrorStatus = real.isServerErrorStatus;
export const isErrorStatus: (status: number) => status is ErrorStatus = real.isErrorStatus;
