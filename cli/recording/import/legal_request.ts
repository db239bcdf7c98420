// What a request line can carry; schemas/message.schema.json asks for the same.

export const legalMethod = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
export const legalPath = /^\/[!-~]*$/;
