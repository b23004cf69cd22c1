// `http`: the table of status names, empty because nothing reads it in a browser.
export const STATUS_CODES = {};
