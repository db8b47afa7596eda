/** The styles of the player and of the page around it, as one text: `gradreel/player/bundle.py` makes the module. */

declare const styles: string;
export default styles;
