"""What programs call: functions of torch, and methods of tensors."""
