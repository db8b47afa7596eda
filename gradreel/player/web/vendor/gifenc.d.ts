/** What the page uses of gifenc. */

export declare const GIFEncoder: any;
export declare const nearestColorIndex: any;
export declare const quantize: any;
