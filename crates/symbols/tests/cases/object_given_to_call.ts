import { createSlice, configure } from "./kit";
export const cartSlice = createSlice({
  name: "cart",
  reducers: {
    addItem(state: string[], sku: string) {
      state.push(sku);
    },
    clear: (state: string[]) => {
      state.length = 0;
    },
  },
});
configure({
  onReady() {
    return 1;
  },
});
