export const title = 'later';
export const sizes = () => [];
