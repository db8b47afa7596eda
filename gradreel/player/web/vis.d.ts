/** vis-network out of the installed pyvis: `gradreel/player/bundle.py` makes the module. A page may bring it later. */

export interface Vis {
  Network: any;
}

declare const vis: Vis | Promise<Vis>;
export default vis;
