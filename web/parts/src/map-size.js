// Size of a box of the map, in pixels; map.css has it, too.
export const WIDTH = 200;
export const HEIGHT = 58;
