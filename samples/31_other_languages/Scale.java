// SPDX-License-Identifier: Apache-2.0
// Calls `scale` of a kernel library by JNA: Scale.java KERNEL
import com.sun.jna.*;
import com.sun.jna.ptr.PointerByReference;

public class Scale {
  static final NativeLibrary tvm = NativeLibrary.getInstance("tvm_ffi");

  static void call(String name, Object... args) {
    if (tvm.getFunction(name).invokeInt(args) == 0) return;
    Memory text = new Memory(1000);
    tvm.getFunction("TVMFFIRuntimeErrorTake").invoke(new Object[] {text, new NativeLong(1000)});
    throw new RuntimeException(text.getString(0));
  }

  // JNA frees memory that no variable reaches, though t holds its address: hence static.
  static Memory x = words(0, 0, 0), shape = words(3), strides = words(1), none = words(0, 0), t;

  static Memory words(long... values) {
    Memory memory = new Memory(8 * values.length);
    memory.write(0, values, 0, values.length);
    return memory;
  }

  public static void main(String[] path) {
    PointerByReference module = new PointerByReference(), scale = new PointerByReference();
    call("TVMFFIRuntimeModuleLoad", path[0], module);
    call("TVMFFIRuntimeModuleGetFunction", module.getValue(), "scale", scale);

    x.write(0, new double[] {1, 3, 5}, 0, 3);
    long kDLCPU = 1, ndim = 1, float64 = 0x14002, kDLTensorPtr = 7, kFloat = 3;
    t = words(Pointer.nativeValue(x), kDLCPU, ndim | float64 << 32,
        Pointer.nativeValue(shape), Pointer.nativeValue(strides), 0);
    Memory args = words(kDLTensorPtr, Pointer.nativeValue(t), kDLTensorPtr,
        Pointer.nativeValue(t), kFloat, Double.doubleToRawLongBits(1.5));
    call("TVMFFIFunctionCall", scale.getValue(), args, 3, none);
    System.out.println("scaled: " + x.getDouble(0) + " " + x.getDouble(8) + " " + x.getDouble(16));
    try {
      call("TVMFFIFunctionCall", scale.getValue(), args, 2, none);
    } catch (RuntimeException error) {
      System.out.println(error.getMessage());
    }
    call("TVMFFIObjectDecRef", scale.getValue());
    call("TVMFFIObjectDecRef", module.getValue());
  }
}
