export class Live { constructor() {} show() {} }
